// Why there are no plots.
import { Code } from "@connectrpc/connect";
import { FailureNote } from "../../ui/failure_note";
import type { MetricsView } from "./metrics_follower";
import type { MeasuredJob } from "./use_job_metrics";
import { messages } from "#messages/metrics";

export function MetricsState(props: {
  job: MeasuredJob;
  view: MetricsView;
  onRetry(): void;
}) {
  const { job, view, onRetry } = props;
  const { failure } = view;
  if (job.startedMs === undefined) return <Empty text={messages.notStarted} />;
  if (failure?.code === Code.FailedPrecondition) {
    return <Empty text={messages.notOffered} />;
  }
  if (failure) {
    return (
      <div class="load-failure" data-testid="no-metrics">
        <FailureNote failure={failure} />
        <button class="button button-small" type="button" onClick={onRetry}>
          {messages.tryAgain}
        </button>
      </div>
    );
  }
  if (!view.grid) return <div class="boot" role="status" />;
  const isWaiting = job.endedMs === undefined && view.link === "live";
  return <Empty text={isWaiting ? messages.noDataYet : view.problem} />;
}

function Empty({ text }: { text: string }) {
  return (
    <div class="empty" data-testid="no-metrics">
      <p class="empty-title">{messages.noData}</p>
      {text && <p class="muted">{text}</p>}
    </div>
  );
}
