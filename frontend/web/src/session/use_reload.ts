// Loads data again while the page is visible.
import { useEffect, useRef } from "preact/hooks";
import { type Updates, useClusterUpdates } from "./cluster_updates_context";
import { kReloadTiming, ReloadScheduler } from "./reload_scheduler";
import type { Query } from "./use_query";

export interface Reloaded {
  reload(): Promise<void>;
  readonly failed: boolean; // the newest load
}

// For data of the cluster and its jobs: when the stream announces a change.
export function useReload(query: Query<unknown>): void {
  const { reload, failure } = query;
  useReloadOn(useClusterUpdates(), { reload, failed: failure !== undefined });
}

// The same for what `updates` announces.
export function useReloadOn(
  { live, epoch }: Updates,
  { reload, failed }: Reloaded,
  timing = kReloadTiming,
): void {
  const scheduler = useRef<ReloadScheduler>();
  useEffect(() => {
    const started = new ReloadScheduler(() => void reload(), timing);
    scheduler.current = started;
    const follow = () => started.setVisible(!document.hidden);
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      started.stop();
    };
  }, [reload, timing]);
  useEffect(
    () => scheduler.current?.update(live, epoch),
    [live, epoch, reload, timing],
  );
  useEffect(
    () => scheduler.current?.setFailed(failed),
    [failed, reload, timing],
  );
}

// For what the portal shows on each page: an announcement changes all of them at
// the same moment.
export const kNoticeTiming = {
  ...kReloadTiming,
  fallbackMs: 60_000,
  spreadMs: 5_000,
};

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
