// The additional nodes of a job on its card, added or pending.
import { type Job, JobState } from "#proto/jobs";
import { formatCountdown } from "../../../lib/format/duration";
import { gpuLabel, currentActivity, stateLabel } from "../job_labels";
import { walltimeProgress } from "../walltime_progress";
import { Icon } from "../../../ui/icon";
import { useNow } from "../../../ui/use_now";
import { messages } from "#messages/jobs";

export function LinkedJobRows(props: {
  job: Job;
  linkedJobs: readonly Job[];
  withGpus: boolean; // of the cluster
  onAdd?(): void; // absent: nodes cannot be added now
  onRelease(linkedJob: Job): void;
}) {
  const { job, linkedJobs, withGpus, onAdd, onRelease } = props;
  if (linkedJobs.length === 0 && !onAdd) return null;
  const name = job.spec?.name ?? job.id;
  return (
    <div class="linked-jobs">
      {linkedJobs.length > 0 && (
        <ul aria-label={messages.additionalNodesOf({ name })}>
          {linkedJobs.map((linkedJob) => (
            <Row
              key={linkedJob.id}
              job={linkedJob}
              onRelease={() => onRelease(linkedJob)}
            />
          ))}
        </ul>
      )}
      {onAdd && (
        <button
          class="link-button"
          type="button"
          data-testid="job-add"
          onClick={onAdd}
        >
          <Icon name="plus" />
          {withGpus ? messages.addNodesLabel : messages.addNodesLabel}
          <span class="sr-only"> {messages.toName({ name })}</span>
        </button>
      )}
    </div>
  );
}

function Row({ job, onRelease }: { job: Job; onRelease(): void }) {
  const state = stateLabel(job);
  const ready = job.state === JobState.READY;
  const what = job.spec ? gpuLabel(job.spec) : "";
  return (
    <li
      class="linked-job"
      data-testid={`job-${job.id}`}
      data-state={state.key}
      data-tone={state.tone}
    >
      <span class="linked-job-what">
        <strong>+ {what}</strong>
        {job.nodes.length > 0 && (
          <span class="mono">
            {" "}
            {messages.onNodes({ nodes: job.nodes.join(", ") })}
          </span>
        )}
      </span>
      <span class="state" data-tone={state.tone}>
        {ready ? messages.added : state.label}
      </span>
      {ready ? (
        <Left job={job} />
      ) : (
        <span class="linked-job-why sentence">{currentActivity(job)}</span>
      )}
      {job.state !== JobState.STOPPING && (
        <button
          class="link-button"
          type="button"
          data-testid="linked-job-release"
          onClick={onRelease}
        >
          {messages.release} <span class="sr-only">{what}</span>
        </button>
      )}
    </li>
  );
}

function Left({ job }: { job: Job }) {
  const now = useNow(1000);
  const progress = walltimeProgress(job, now);
  if (!progress) return <span class="linked-job-why" />;
  return (
    <span class="linked-job-why">
      {messages.timeLeft({ duration: formatCountdown(progress.leftMs) })}
    </span>
  );
}
