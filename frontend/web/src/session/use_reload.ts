// Loads data again at intervals while the page is visible, for data of which the
// backend has no stream.
import { useEffect } from "preact/hooks";
import type { Query } from "./use_query";

export function useReload(
  { reload }: Pick<Query<unknown>, "reload">,
  periodMs: number,
): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, periodMs);
    return () => clearInterval(timer);
  }, [reload, periodMs]);
}

// Loads data at once, at intervals while the page is visible, and when it becomes
// visible again.
export function useLoadWhileVisible(
  load: () => Promise<void>,
  periodMs: number,
): void {
  useEffect(() => {
    const loadIfVisible = () => {
      if (!document.hidden) void load();
    };
    loadIfVisible();
    const timer = setInterval(loadIfVisible, periodMs);
    document.addEventListener("visibilitychange", loadIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", loadIfVisible);
    };
  }, [load, periodMs]);
}
