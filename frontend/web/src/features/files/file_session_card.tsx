// A job that was started for files: its progress, then the time left.
import { type Job, JobState } from "#proto/jobs";
import { jobHref } from "../../routes/route";
import { Icon } from "../../ui/icon";
import { JobActions } from "../jobs/actions/job_actions";
import { LifetimeBanners } from "../jobs/actions/lifetime_controls";
import { AdminNotes } from "../jobs/admin_notes";
import { OpenWhenReady } from "../jobs/job_app_row";
import { type Catalog, mainApp } from "../jobs/job_apps";
import { Steps, WaitingTime } from "../jobs/job_card";
import {
  currentActivity,
  isWaiting,
  mayOpenEarly,
  stateLabel,
} from "../jobs/job_labels";
import { JobProgress } from "../jobs/job_progress";
import { messages } from "#messages/files";

export function FileSessionCard(props: {
  job: Job;
  catalog: Catalog;
  onStop(): void;
  onChanged(job: Job): void;
  onExtend(): void;
}) {
  const { job, catalog, onStop, onChanged, onExtend } = props;
  const state = stateLabel(job);
  const isStarting = isWaiting(job) || job.state === JobState.STARTING;
  return (
    <li
      class="job-card"
      data-testid="file-session"
      data-job={job.id}
      data-state={state.key}
      data-tone={state.tone}
    >
      <div class="job-title">
        <h3>
          <a href={jobHref(job.id)} data-testid="job-link">
            {messages.fileSession}
          </a>
        </h3>
        <span class="state" data-tone={state.tone}>
          {state.label}
        </span>
      </div>
      {job.state === JobState.READY ? (
        <p class="job-reason">
          <span>{messages.filesAreReady({ node: job.nodes[0] ?? "" })}</span>
        </p>
      ) : (
        <p class="job-reason">
          <Icon name="clock" />
          <span class="sentence">{currentActivity(job)}</span>
          {isWaiting(job) && <WaitingTime job={job} />}
        </p>
      )}
      {isStarting && <Steps job={job} appName={mainApp(job, catalog).name} />}
      <JobProgress job={job} onExtend={onExtend} />
      <LifetimeBanners job={job} onChanged={onChanged} onExtend={onExtend} />
      <AdminNotes job={job} />
      <JobActions job={job} onStop={onStop} onChanged={onChanged} />
      {mayOpenEarly(job) && <OpenWhenReady job={job} catalog={catalog} />}
    </li>
  );
}
