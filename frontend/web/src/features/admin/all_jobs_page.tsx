// The active jobs of all users. Administrators stop, hold and extend them and
// read their logs, with a reason. Apps of other users' jobs cannot be opened.
import { useState } from "preact/hooks";
import type { OwnedJob } from "#proto/admin";
import { adminClient } from "../../api/admin";
import { gpuLabel, stateLabel } from "../jobs/job_labels";
import { useDebounced } from "../../lib/use_debounced";
import { PageTitle } from "../../routes/page_title";
import { hrefOf, jobHref, userHref } from "../../routes/route";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { useReload } from "../../session/use_reload";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { useConfirmation } from "../../ui/toasts";
import { JobActionDialog } from "./job_action_dialog";
import { type JobAction, jobActions, kJobActions } from "./job_actions";
import { jobFilterOf, type JobsFilter, kAllJobs } from "./jobs_filter";
import { JobsFilterForm } from "./jobs_filter_form";
import { logQueryOfJob } from "./logs/log_filter";
import { messages } from "#messages/admin";

const kPageSize = 200;

interface Open {
  readonly what: JobAction;
  readonly entry: OwnedJob;
}

export function AllJobsPage() {
  const { session } = useSession();
  const [filter, setFilter] = useState<JobsFilter>(kAllJobs);
  const [pages, setPages] = useState<readonly string[]>([""]); // their tokens
  const [open, setOpen] = useState<Open>();
  const confirm = useConfirmation();
  const pageToken = pages[pages.length - 1] ?? "";
  const applied = useDebounced(filter);
  const loaded = useQuery(
    () =>
      adminClient.listAllJobs({
        filter: jobFilterOf(applied),
        pageSize: kPageSize,
        pageToken,
      }),
    `${JSON.stringify(applied)} ${pageToken}`,
  );
  const { reload } = loaded;
  const done = (what: JobAction, entry: OwnedJob) => {
    setOpen(undefined);
    confirm(
      kJobActions[what].done({
        job: `${entry.job?.spec?.name}`,
        owner: entry.owner,
      }),
    );
    void reload();
  };
  useReload(loaded);

  return (
    <>
      <PageTitle text={messages.jobs} />
      <JobsFilterForm
        filter={filter}
        onFilter={(next) => {
          setFilter(next);
          setPages([""]);
        }}
      />
      <QueryView loaded={loaded}>
        {({ jobs, nextPageToken }) => (
          <>
            <p class="muted">
              {jobs.length === 0
                ? messages.noActiveJobs
                : messages.activeJobsOfUsers({
                    jobs: jobs.length,
                    users: ownersOf(jobs),
                  })}
            </p>
            {jobs.length > 0 && (
              <JobTable
                jobs={jobs}
                {...(mayChange(session) && {
                  onAction: (what: JobAction, entry: OwnedJob) =>
                    setOpen({ what, entry }),
                })}
              />
            )}
            <div class="button-row">
              {pages.length > 1 && (
                <button
                  class="button"
                  type="button"
                  onClick={() => setPages(pages.slice(0, -1))}
                >
                  {messages.newerJobs}
                </button>
              )}
              {nextPageToken !== "" && (
                <button
                  class="button"
                  type="button"
                  data-testid="jobs-older"
                  onClick={() => setPages([...pages, nextPageToken])}
                >
                  {messages.olderJobs}
                </button>
              )}
            </div>
          </>
        )}
      </QueryView>
      {open && (
        <JobActionDialog
          entry={open.entry}
          what={open.what}
          onDone={() => done(open.what, open.entry)}
          close={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function ownersOf(jobs: readonly OwnedJob[]): number {
  return new Set(jobs.map(({ owner }) => owner)).size;
}

type OnAction = (what: JobAction, entry: OwnedJob) => void;

function JobTable(props: { jobs: readonly OwnedJob[]; onAction?: OnAction }) {
  const { jobs, onAction } = props;
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{messages.user}</th>
            <th scope="col">{messages.job}</th>
            <th scope="col">{messages.state}</th>
            <th scope="col">{messages.resources}</th>
            <th scope="col">{messages.created}</th>
            {onAction && <th scope="col">{messages.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {jobs.map((entry) => (
            <JobRow
              key={entry.job?.id}
              entry={entry}
              {...(onAction && { onAction })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow(props: { entry: OwnedJob; onAction?: OnAction }) {
  const { entry, onAction } = props;
  const { owner, job } = entry;
  if (!job) return null;
  const state = stateLabel(job);
  return (
    <tr data-testid={`live-job-${job.id}`}>
      <td>
        <a href={userHref(owner)}>{owner}</a>
      </td>
      <td>
        <a href={jobHref(job.id)}>{job.spec?.name}</a>
        <span class="muted small cell-more">
          <span class="mono">{job.id}</span>
          {job.slurmJobId > 0 &&
            ` · ${messages.slurmJob({ id: job.slurmJobId })}`}
          {" · "}
          <a
            href={hrefOf("logs", logQueryOfJob(job.id))}
            data-testid={`logs-of-${job.id}`}
          >
            {messages.showLogs}
          </a>
        </span>
      </td>
      <td>
        <span class="state" data-tone={state.tone}>
          {state.label}
        </span>
      </td>
      <td>
        {job.spec && gpuLabel(job.spec)}
        <span class="muted small cell-more">
          {[job.spec?.app, job.spec?.partition].filter(Boolean).join(" · ")}
        </span>
        {job.nodes.length > 0 && (
          <span class="muted small mono cell-more">{job.nodes.join(", ")}</span>
        )}
      </td>
      <td>
        <Moment at={job.createdAt} />
        {job.endsAt && (
          <span class="muted small cell-more nowrap">
            {messages.ends} <Moment at={job.endsAt} />
          </span>
        )}
      </td>
      {onAction && (
        <td>
          <div class="button-row row-actions">
            {jobActions(job).map((what) => (
              <button
                key={what}
                class="button button-small"
                type="button"
                data-testid={`admin-${what}`}
                onClick={() => onAction(what, entry)}
              >
                {kJobActions[what].label}{" "}
                <span class="sr-only">
                  {messages.jobOfOwner({ job: job.spec?.name ?? "", owner })}
                </span>
              </button>
            ))}
          </div>
        </td>
      )}
    </tr>
  );
}
