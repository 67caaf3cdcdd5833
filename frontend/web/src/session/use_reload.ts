// Loads data again while the page is visible.
import { useEffect, useRef } from "preact/hooks";
import { useClusterUpdates } from "./cluster_updates_context";
import { ReloadScheduler } from "./reload_scheduler";
import type { Query } from "./use_query";

// For data of the cluster and its jobs: when the stream announces a change.
export function useReload({ reload }: Pick<Query<unknown>, "reload">): void {
  const { live, epoch } = useClusterUpdates();
  const scheduler = useRef<ReloadScheduler>();
  useEffect(() => {
    const started = new ReloadScheduler(() => void reload());
    scheduler.current = started;
    const follow = () => started.setVisible(!document.hidden);
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      started.stop();
    };
  }, [reload]);
  useEffect(
    () => scheduler.current?.update(live, epoch),
    [live, epoch, reload],
  );
}

// For data of which the backend has no stream: at intervals.
export function useReloadEvery(
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

// The same at once, and when the page becomes visible again.
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
