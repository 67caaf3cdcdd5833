// Loads data again while the page is visible.
import { useEffect, useRef } from "preact/hooks";
import {
  kReloadTiming,
  ReloadScheduler,
  type ReloadTiming,
} from "./reload_scheduler";
import { type Updates, useStreamUpdates } from "./stream_updates_context";
import { ReturnReloader } from "./return_reloader";
import { followWatched } from "./watched_page";
import type { Query } from "./use_query";

export interface Reloaded {
  reload(): Promise<void>;
  readonly failed: boolean; // the newest load
}

// For data of the cluster and its jobs: when the stream announces a change.
export function useReload(query: Query<unknown>): void {
  const { reload, failure } = query;
  useReloadOn(useStreamUpdates().cluster, {
    reload,
    failed: failure !== undefined,
  });
}

// For the state of the site's components.
export function useReloadOnHealth(query: Query<unknown>): void {
  const { reload, failure } = query;
  useReloadOn(
    useStreamUpdates().health,
    { reload, failed: failure !== undefined },
    kHealthTiming,
  );
}

// For images. `building`: without a stream, the page asks at intervals.
export function useReloadOnImages(
  query: Query<unknown>,
  building: boolean,
): void {
  const { reload, failure } = query;
  useReloadOn(
    useStreamUpdates().images,
    { reload, failed: failure !== undefined },
    building ? kBuildTiming : kImageTiming,
  );
}

// The same for what `updates` announces.
export function useReloadOn(
  { live, epoch }: Updates,
  { reload, failed }: Reloaded,
  timing: ReloadTiming = kReloadTiming,
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

const kHealthTiming: ReloadTiming = {
  minGapMs: 3_000,
  fallbackMs: 10_000,
  catchesUp: true,
};

const kImageTiming: ReloadTiming = {
  minGapMs: 3_000,
  spreadMs: 1_000,
  catchesUp: true,
};
const kBuildTiming: ReloadTiming = { ...kImageTiming, fallbackMs: 3_000 };

// For data whose changes nothing announces: when the user returns to the page,
// at most once in `minGapMs`.
export function useReloadOnReturn(
  { reload }: Pick<Query<unknown>, "reload">,
  minGapMs: number,
): void {
  useEffect(() => {
    const reloader = new ReturnReloader(() => void reload(), minGapMs);
    return followWatched((watched) => reloader.setWatched(watched));
  }, [reload, minGapMs]);
}
