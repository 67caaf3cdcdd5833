// The live jobs of everybody. Nobody can enter or stop one from here.
import { useEffect } from "preact/hooks";
import type { OwnedJob } from "#proto/admin";
import { adminClient } from "../api/admin_clients";
import { count } from "../format/count";
import { gpuWords, stateWords } from "../jobs/job_words";
import { PageTitle } from "../route/page_title";
import { userHref } from "../route/route";
import { useLoaded } from "../session/use_loaded";
import { LoadedView } from "../ui/loaded_view";
import { Moment } from "../ui/moment";

const kPeriodMs = 15_000;

export function AllJobsPage() {
  const loaded = useLoaded(() => adminClient.listAllJobs({}));
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, kPeriodMs);
    return () => clearInterval(timer);
  }, [reload]);

  return (
    <>
      <PageTitle text="Jobs" />
      <LoadedView loaded={loaded}>
        {({ jobs }) => (
          <>
            <p class="muted">
              {jobs.length === 0
                ? "No job is live."
                : `${count(jobs.length, "live job")} of ${count(ownersOf(jobs), "user")}, the newest first.`}
            </p>
            {jobs.length > 0 && <JobTable jobs={jobs} />}
          </>
        )}
      </LoadedView>
    </>
  );
}

function ownersOf(jobs: readonly OwnedJob[]): number {
  return new Set(jobs.map(({ owner }) => owner)).size;
}

function JobTable({ jobs }: { jobs: readonly OwnedJob[] }) {
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Asks for</th>
            <th scope="col">Nodes</th>
            <th scope="col">Created</th>
            <th scope="col">Ends</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((entry) => (
            <JobRow key={entry.job?.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow({ entry: { owner, job } }: { entry: OwnedJob }) {
  if (!job) return null;
  const state = stateWords(job);
  return (
    <tr data-test={`live-job-${job.id}`}>
      <td>
        <a href={userHref(owner)}>{owner}</a>
      </td>
      <td>
        {job.spec?.name}
        <span class="muted small cell-more">
          <span class="mono">{job.id}</span>
          {job.slurmJobId > 0 && ` · Slurm ${job.slurmJobId}`}
        </span>
      </td>
      <td>
        <span class="state" data-tone={state.tone}>
          {state.label}
        </span>
      </td>
      <td>
        {job.spec && gpuWords(job.spec)}
        <span class="muted small cell-more">
          {[job.spec?.app, job.spec?.partition].filter(Boolean).join(" · ")}
        </span>
      </td>
      <td class="mono">
        {job.nodes.map((node) => (
          <span key={node} class="cell-more nowrap">
            {node}
          </span>
        ))}
      </td>
      <td>
        <Moment at={job.createdAt} />
      </td>
      <td>
        <Moment at={job.endsAt} absent="" />
      </td>
    </tr>
  );
}
