// What has joined a job, or is on its way, on the job's card.
import { type Job, JobState } from "#proto/jobs";
import { formatCountdown } from "../../../lib/format/duration";
import { gpuWords, meanwhile, stateWords } from "../job_labels";
import { walltimeProgress } from "../walltime_progress";
import { Icon } from "../../../ui/icon";
import { useNow } from "../../../ui/use_now";

export function CompanionRows(props: {
  job: Job;
  companions: readonly Job[];
  withGpus: boolean; // of the cluster
  onAdd?(): void; // absent: nothing can be added now
  onRelease(companion: Job): void;
}) {
  const { job, companions, withGpus, onAdd, onRelease } = props;
  if (companions.length === 0 && !onAdd) return null;
  const name = job.spec?.name ?? job.id;
  return (
    <div class="companions">
      {companions.length > 0 && (
        <ul aria-label={`Added to ${name}`}>
          {companions.map((companion) => (
            <Row
              key={companion.id}
              job={companion}
              onRelease={() => onRelease(companion)}
            />
          ))}
        </ul>
      )}
      {onAdd && (
        <button
          class="link-button"
          type="button"
          data-test="job-add"
          onClick={onAdd}
        >
          <Icon name="plus" />
          {withGpus ? "Add GPUs…" : "Add nodes…"}
          <span class="sr-only"> to {name}</span>
        </button>
      )}
    </div>
  );
}

function Row({ job, onRelease }: { job: Job; onRelease(): void }) {
  const state = stateWords(job);
  const ready = job.state === JobState.READY;
  const what = job.spec ? gpuWords(job.spec) : "";
  return (
    <li
      class="companion"
      data-test={`job-${job.id}`}
      data-state={state.key}
      data-tone={state.tone}
    >
      <span class="companion-what">
        <strong>+ {what}</strong>
        {job.nodes.length > 0 && (
          <span class="mono"> on {job.nodes.join(", ")}</span>
        )}
      </span>
      <span class="state" data-tone={state.tone}>
        {ready ? "Joined" : state.label}
      </span>
      {ready ? (
        <Left job={job} />
      ) : (
        <span class="companion-why sentence">{meanwhile(job)}</span>
      )}
      {job.state !== JobState.STOPPING && (
        <button
          class="link-button"
          type="button"
          data-test="companion-release"
          onClick={onRelease}
        >
          Release <span class="sr-only">{what}</span>
        </button>
      )}
    </li>
  );
}

function Left({ job }: { job: Job }) {
  const now = useNow(1000);
  const progress = walltimeProgress(job, now);
  if (!progress) return <span class="companion-why" />;
  return (
    <span class="companion-why">{formatCountdown(progress.leftMs)} left</span>
  );
}
