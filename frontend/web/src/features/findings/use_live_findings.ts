// What rules find in a job while it runs, from a stream: nothing is asked for
// repeatedly.
import { useEffect, useState } from "preact/hooks";
import type { JobFinding } from "#proto/findings";
import type { WatchJobMetricsResponse } from "#proto/metrics";
import { followPage } from "../../api/follow_page";
import { metricsClientOf } from "../../api/metrics";
import { StreamWatcher } from "../../api/stream_watcher";
import { useEvent } from "../../lib/use_event";
import { useSession } from "../../session/session_context";
import { isFinal } from "../metrics/metrics_follower";

// undefined: nothing has arrived. `onChange` is called with each change.
export function useLiveFindings(
  job: {
    readonly id: string;
    readonly cluster: string;
    readonly isRunning: boolean;
  },
  onChange: () => void,
): readonly JobFinding[] | undefined {
  const { id, cluster, isRunning } = job;
  const { endIfOver } = useSession();
  const [findings, setFindings] = useState<readonly JobFinding[]>();
  const changed = useEvent(onChange);
  useEffect(() => {
    setFindings(undefined);
    if (!isRunning) return;
    return followPage(
      new StreamWatcher<WatchJobMetricsResponse>({
        open: (signal) =>
          metricsClientOf(cluster).watchJobMetrics(
            { jobId: id, onlyFindings: true },
            { signal, timeoutMs: 0 },
          ),
        onMessage({ findings: news }) {
          if (!news) return;
          setFindings(news.findings);
          changed();
        },
        onLink: () => undefined,
        onSessionEnd: endIfOver,
        onFailure: (failure) => !isFinal(failure),
      }),
    );
  }, [id, cluster, isRunning, endIfOver, changed]);
  return findings;
}
