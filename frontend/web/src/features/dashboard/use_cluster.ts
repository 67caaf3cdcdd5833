// Loads the state of the cluster, again after each change reported by the
// stream.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import { clusterClient } from "../../api/core";
import { type Failure, failureOf } from "../../api/failure";
import type { ReloadTiming } from "../../session/reload_scheduler";
import { useSession } from "../../session/session_context";
import { useStreamUpdates } from "../../session/stream_updates_context";
import { useReloadOn } from "../../session/use_reload";

const kRetryMs = 5000;
// An image of the site concerns all users at the same moment.
const kImageTiming: ReloadTiming = { minGapMs: 5_000, spreadMs: 5_000 };
const kBuildTiming: ReloadTiming = { ...kImageTiming, fallbackMs: 5_000 };
// Minimum time between two requests on a busy cluster.
const kSpacingMs = 1000;

export interface ClusterView {
  readonly cluster?: GetClusterResponse; // the newest one received
  readonly failure?: Failure; // of the newest request
}

// `epoch` changes when the cluster may have changed: new version in the stream,
// number of jobs, new connection.
export function useCluster(epoch: string): ClusterView {
  const { endIfOver } = useSession();
  const [view, setView] = useState<ClusterView>({});
  const [round, setRound] = useState(0);
  const newest = useRef(0);
  const askedAt = useRef(0);

  const load = useCallback(async () => {
    const mine = ++newest.current;
    askedAt.current = Date.now();
    try {
      const cluster = await clusterClient.getCluster({});
      if (mine === newest.current) setView({ cluster });
    } catch (error) {
      const failure = failureOf(error);
      if (mine !== newest.current || endIfOver(failure)) return;
      setView(({ cluster }) => ({ ...(cluster && { cluster }), failure }));
    }
  }, [endIfOver]);

  const loaded = useRef<GetClusterResponse>();
  loaded.current = view.cluster;
  useEffect(() => {
    const wait = askedAt.current + kSpacingMs - Date.now();
    const timer = setTimeout(
      () => {
        // The first snapshot of the stream has the state that is loaded.
        const version = loaded.current?.version;
        if (version === undefined || epoch !== `1.${version}`) void load();
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [epoch, round, load]);
  useEffect(() => {
    if (!view.failure) return;
    const timer = setTimeout(() => setRound((old) => old + 1), kRetryMs);
    return () => clearTimeout(timer);
  }, [view.failure]);
  const isBuilding = view.cluster?.pendingImages.some(
    ({ problem }) => problem === "",
  );
  useReloadOn(
    useStreamUpdates().images,
    { reload: load, failed: false },
    isBuilding ? kBuildTiming : kImageTiming,
  );

  return view;
}
