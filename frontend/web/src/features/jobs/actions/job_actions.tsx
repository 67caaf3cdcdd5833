// The buttons of an active job besides opening its apps.
import { type Job, JobState } from "#proto/jobs";
import { LifetimeButtons } from "./lifetime_controls";
import { Icon } from "../../../ui/icon";
import { mayHaveLog } from "../job_labels";
import { messages } from "#messages/jobs";

export function JobActions(props: {
  job: Job;
  onLog?(): void; // absent: no button
  onStop(): void;
  onChanged(job: Job): void;
}) {
  const { job, onLog, onStop, onChanged } = props;
  const name = job.spec?.name ?? job.id;
  return (
    <div class="job-actions">
      {onLog && mayHaveLog(job) && (
        <button
          class="button"
          type="button"
          data-testid="job-log"
          onClick={onLog}
        >
          <Icon name="list" /> {messages.log}{" "}
          <span class="sr-only">{messages.ofName({ name })}</span>
        </button>
      )}
      <LifetimeButtons job={job} onChanged={onChanged} />
      {job.state !== JobState.STOPPING && (
        <button
          class="button button-danger-quiet"
          type="button"
          data-testid="job-stop"
          onClick={onStop}
        >
          {messages.stop} <span class="sr-only">{name}</span>
        </button>
      )}
    </div>
  );
}
