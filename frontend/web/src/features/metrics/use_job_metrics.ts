// The metrics of one job while its page is shown.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { followPage } from "../../api/follow_page";
import { metricsClientOf } from "../../api/metrics";
import { useEvent } from "../../lib/use_event";
import { useSession } from "../../session/session_context";
import { stepFor } from "./series/steps";
import {
  kNothingLoaded,
  MetricsFollower,
  type MetricsView,
} from "./metrics_follower";

export interface MeasuredJob {
  readonly id: string;
  readonly cluster: string;
  readonly name: string;
  readonly startedMs: number | undefined; // undefined: it has not started
  readonly endedMs: number | undefined;
  readonly cpusPerNode: number; // requested; 0: unknown
  readonly gpus: number; // in all; 0: none
}

export interface JobMetrics {
  readonly view: MetricsView;
  reload(): void;
}

export function useJobMetrics(job: MeasuredJob): JobMetrics {
  const { endIfOver } = useSession();
  const [view, setView] = useState<MetricsView>(kNothingLoaded);
  const follower = useRef<MetricsFollower>();
  const { id, cluster, startedMs, endedMs } = job;
  const isRunning = endedMs === undefined;
  const load = useEvent(() => {
    const length = (endedMs ?? Date.now()) - (startedMs ?? Date.now());
    return metricsClientOf(cluster).getJobMetrics({
      jobId: id,
      stepS: stepFor(length, job.gpus),
    });
  });
  const hasStarted = startedMs !== undefined;

  useEffect(() => {
    if (!hasStarted) return;
    const mine = new MetricsFollower(
      {
        load,
        open: (signal) =>
          metricsClientOf(cluster).watchJobMetrics(
            { jobId: id },
            { signal, timeoutMs: 0 },
          ),
        onView: setView,
        onSessionEnd: endIfOver,
      },
      isRunning,
    );
    follower.current = mine;
    return followPage(mine);
  }, [id, cluster, hasStarted, isRunning, load, endIfOver]);

  const reload = useCallback(() => void follower.current?.load(), []);
  return { view, reload };
}
