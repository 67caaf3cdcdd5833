// State, actions and apps of a job, above the tabs.
import { type Job, JobState } from "#proto/jobs";
import { CopyButton } from "../../ui/copy_button";
import { Icon } from "../../ui/icon";
import { EarlierRunsPopover } from "../comparison/earlier_runs_popover";
import { isLinkedJob } from "../jobs/additional_nodes/linked_jobs";
import { LifetimeBanners } from "../jobs/actions/lifetime_controls";
import { JobActions } from "../jobs/actions/job_actions";
import { AdminNotes } from "../jobs/admin_notes";
import { isBatch } from "../jobs/array_labels";
import { JobAppRow, OpenWhenReady } from "../jobs/job_app_row";
import type { Catalog } from "../jobs/job_apps";
import {
  currentActivity,
  endLabel,
  mayOpenEarly,
  stateLabel,
} from "../jobs/job_labels";
import { isLive } from "../jobs/job_list_state";
import { JobProgress } from "../jobs/job_progress";
import { JobReason } from "../jobs/job_reason";
import { mayStartAgain } from "./start_again";
import { messages } from "#messages/job_page";

export function JobHead(props: {
  job: Job;
  catalog: Catalog;
  isMine: boolean;
  onChanged(job: Job): void;
  onStop(): void;
  onExtend(): void;
  onLog(app: string): void;
  onStartAgain(): void;
}) {
  const { job, catalog, isMine, onChanged, onStop, onExtend } = props;
  const state = stateLabel(job);
  const live = isLive(job);
  const ready = job.state === JobState.READY;
  return (
    <header class="job-head" data-state={state.key}>
      <div class="job-ids">
        <span class="state" data-tone={state.tone} data-testid="job-state">
          {live ? state.label : endLabel(job)}
        </span>
        <CopyButton text={job.id} label={messages.copyId({ id: job.id })} />
        {job.slurmJobId > 0 && (
          <CopyButton
            text={String(job.slurmJobId)}
            label={messages.copySlurmId({ id: String(job.slurmJobId) })}
          />
        )}
        {!isMine && (
          <span class="muted">
            {messages.owner}: {job.owner}
          </span>
        )}
        <span class="job-head-actions">
          {job.startedAt && <EarlierRunsPopover job={job} isMine={isMine} />}
          {live && isMine && (
            <JobActions job={job} onStop={onStop} onChanged={onChanged} />
          )}
          {!live && mayStartAgain(job) && (
            <button
              class="button button-primary"
              type="button"
              data-testid="job-again"
              onClick={props.onStartAgain}
            >
              <Icon name="play" /> {messages.startAgain}
            </button>
          )}
        </span>
      </div>
      {live && !ready && (
        <p class="job-reason">
          <Icon name="clock" />
          <span class="sentence">{currentActivity(job)}</span>
        </p>
      )}
      {!live && job.reason && (
        <p class="sentence">
          <JobReason job={job} />
        </p>
      )}
      <JobProgress job={job} {...(isMine && { onExtend })} />
      {isMine && (
        <LifetimeBanners job={job} onChanged={onChanged} onExtend={onExtend} />
      )}
      <AdminNotes job={job} />
      {isMine && ready && !isLinkedJob(job) && !isBatch(job) && (
        <JobAppRow job={job} catalog={catalog} onLog={props.onLog} />
      )}
      {isMine && mayOpenEarly(job) && (
        <OpenWhenReady job={job} catalog={catalog} />
      )}
    </header>
  );
}
