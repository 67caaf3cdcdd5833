// The newest samples of a job on its card, from a stream. Nothing is asked for
// repeatedly: the plot begins when the card is shown.
import { Code } from "@connectrpc/connect";
import { useEffect, useState } from "preact/hooks";
import type { WatchJobMetricsResponse } from "#proto/metrics";
import { followPage } from "../../../api/follow_page";
import { metricsClientOf } from "../../../api/metrics";
import { StreamWatcher } from "../../../api/stream_watcher";
import { useSession } from "../../../session/session_context";
import { isFinal } from "../metrics_follower";
import { MetricGrid } from "../series/metric_grid";
import { kSparkNames, kSparkPoints } from "./spark_lines";

// A session may open few streams (streams_per_session).
const kMaxStreams = 3;
const kStepS = 5;
// While a page opens, its plots leave the connection to what it needs first.
const kPageOpensMs = 3000;
const kLengthMs = kSparkPoints * kStepS * 1000;
// A grid only grows; a new one takes its place after this time.
const kMaxPoints = 20 * kSparkPoints;

let openStreams = 0;
const gaveUp = new Set<string>(); // clusters without metrics
// Kept while the user visits other pages.
const grids = new Map<string, MetricGrid>();

export interface SparkGrid {
  readonly grid: MetricGrid | undefined;
  readonly version: number; // the grid changes in place
}

export function useSparkGrid(job: {
  readonly id: string;
  readonly cluster: string;
  readonly isRunning: boolean;
}): SparkGrid {
  const { id, cluster, isRunning } = job;
  const { endIfOver } = useSession();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (!isRunning || openStreams >= kMaxStreams || gaveUp.has(cluster)) return;
    openStreams++;
    const watcher = new StreamWatcher<WatchJobMetricsResponse>({
      open: (signal) =>
        metricsClientOf(cluster).watchJobMetrics(
          { jobId: id, names: kSparkNames },
          { signal, timeoutMs: 0 },
        ),
      onMessage({ nodes }) {
        if (nodes.length === 0) return;
        const grid = gridFor(id);
        for (const node of nodes) grid.addSamples(node);
        setVersion((old) => old + 1);
      },
      onLink: () => undefined,
      onSessionEnd: endIfOver,
      onFailure(failure) {
        if (failure.code === Code.FailedPrecondition) gaveUp.add(cluster);
        return !isFinal(failure) && failure.code !== Code.ResourceExhausted;
      },
    });
    let stop: () => void = () => undefined;
    const timer = setTimeout(
      () => {
        stop = followPage(watcher);
      },
      Math.max(0, kPageOpensMs - performance.now()),
    );
    return () => {
      openStreams--;
      clearTimeout(timer);
      stop();
    };
  }, [id, cluster, isRunning, endIfOver]);
  useEffect(() => {
    if (!isRunning) grids.delete(id);
  }, [id, isRunning]);
  return { grid: grids.get(id), version };
}

function gridFor(id: string): MetricGrid {
  const known = grids.get(id);
  if (known && known.length < kMaxPoints) return known;
  const grid = new MetricGrid(Date.now() - kLengthMs, kStepS);
  grids.set(id, grid);
  return grid;
}
