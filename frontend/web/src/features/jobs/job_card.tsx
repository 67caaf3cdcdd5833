// One active job: description, progress and actions.
import type { ComponentChildren } from "preact";
import { type Job, JobState } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { imageName } from "../images/app_images";
import { isLinkedJob } from "./additional_nodes/linked_jobs";
import { formatCountdown } from "../../lib/format/duration";
import { msOf } from "../../lib/format/moment";
import { LifetimeBanners } from "./actions/lifetime_controls";
import { jobHref } from "../../routes/route";
import { JobSparks } from "../metrics/sparks/job_sparks";
import { useProjects } from "../projects/projects_context";
import { titleOf } from "../reservations/reservation_labels";
import { useReservations } from "../reservations/reservations_context";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { AdminNotes } from "./admin_notes";
import { ArrayBar } from "./array_bar";
import { batchDetails, isBatch } from "./array_labels";
import { JobActions } from "./actions/job_actions";
import { JobAppRow, OpenWhenReady } from "./job_app_row";
import { type Catalog, mainApp } from "./job_apps";
import { JobProgress } from "./job_progress";
import {
  copyLabel,
  expectedStart,
  currentActivity,
  isWaiting,
  mayOpenEarly,
  sizeLabel,
  stateLabel,
} from "./job_labels";
import { Timeline } from "./timeline";
import { timelineOf } from "./timeline_steps";
import { messages } from "#messages/jobs";

export function cardId({ id }: Job): string {
  return `card-${id}`;
}

export function JobCard(props: {
  job: Job;
  catalog: Catalog;
  linkedJobs: ComponentChildren;
  onLog(app: string): void; // empty: the job's log
  onStop(): void;
  onChanged(job: Job): void;
  onExtend(): void;
}) {
  const { job, catalog, linkedJobs, onLog, onStop } = props;
  const { onChanged, onExtend } = props;
  const state = stateLabel(job);
  const ready = job.state === JobState.READY;
  const copied = copyLabel(job);
  return (
    <li
      class="job-card"
      id={cardId(job)}
      data-testid={`job-${job.id}`}
      data-state={state.key}
      data-tone={state.tone}
    >
      <div class="job-title">
        <h3 title={job.spec?.name}>
          <a href={jobHref(job.id)} data-testid="job-link">
            {job.spec?.name}
          </a>
        </h3>
        <span class="state" data-tone={state.tone}>
          {state.label}
        </span>
      </div>
      <JobDetails job={job} appName={mainApp(job, catalog).name} />
      {job.spec?.description && (
        <p class="muted" data-testid="job-description">
          {job.spec.description}
        </p>
      )}
      {ready && copied && (
        <p class="job-reason" data-testid="job-copied">
          <Icon name="check" />
          <span class="sentence">{copied}</span>
        </p>
      )}
      {ready || (
        <p class="job-reason">
          <Icon name="clock" />
          <span class="sentence">{currentActivity(job)}</span>
          {isWaiting(job) && <WaitingTime job={job} />}
        </p>
      )}
      {(isWaiting(job) || job.state === JobState.STARTING) && (
        <Steps job={job} appName={mainApp(job, catalog).name} />
      )}
      {job.array && <ArrayBar array={job.array} />}
      <JobProgress job={job} onExtend={onExtend} />
      <JobSparks job={job} />
      <LifetimeBanners job={job} onChanged={onChanged} onExtend={onExtend} />
      <AdminNotes job={job} />
      <JobActions
        job={job}
        onLog={() => onLog("")}
        onStop={onStop}
        onChanged={onChanged}
      />
      {ready && !isLinkedJob(job) && !isBatch(job) && (
        <JobAppRow job={job} catalog={catalog} onLog={onLog} />
      )}
      {mayOpenEarly(job) && <OpenWhenReady job={job} catalog={catalog} />}
      {linkedJobs}
    </li>
  );
}

// While the job starts.
export function Steps({ job, appName }: { job: Job; appName: string }) {
  const now = useNow(1000);
  return <Timeline steps={timelineOf(job, appName, undefined, now)} isSmall />;
}

function JobDetails({ job, appName }: { job: Job; appName: string }) {
  const { spec, nodes, slurmJobId } = job;
  const projects = useProjects();
  const reservations = useReservations();
  if (!spec) return null;
  const reserved = reservations.find(({ name }) => name === spec.reservation);
  const project = projects.find(({ id }) => id === spec.project);
  const facts = [
    clusterOf(job),
    appName,
    ...batchDetails(job),
    spec.environment || (spec.image && imageName(spec.image)),
    ...sizeLabel(spec),
    spec.partition,
    spec.project &&
      (project?.settings
        ? messages.inProject({ name: project.settings.name })
        : messages.inFormerProject),
    spec.reservation &&
      messages.inReservation({
        name: reserved ? titleOf(reserved) : spec.reservation,
      }),
  ];
  return (
    <ul class="facts">
      {facts.filter(Boolean).map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
      {nodes.length > 0 && <li class="mono">{nodes.join(", ")}</li>}
      {slurmJobId > 0 && (
        <li class="mono">{messages.slurmJob({ id: slurmJobId })}</li>
      )}
    </ul>
  );
}

export function WaitingTime({ job }: { job: Job }) {
  const now = useNow(1000);
  const since = msOf(job.createdAt);
  if (since === undefined) return null;
  const waited = formatCountdown(now - since);
  const start = expectedStart(job, now);
  return (
    <span class="job-waited">
      {messages.waitingFor({ duration: waited })}
      {start && <span data-testid="job-expected"> · {start}</span>}
    </span>
  );
}
