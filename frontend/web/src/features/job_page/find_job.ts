// Looks up a job that is not in the stream of the user's jobs.
import { Code } from "@connectrpc/connect";
import { type HistoryJob, HistoryScope } from "#proto/history";
import { type Job, JobState } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { historyClient } from "../../api/history";
import { jobOfHistory } from "./job_record";

export interface FoundJob {
  readonly job: Job;
  readonly history: HistoryJob | undefined; // of an ended job
}

// undefined: there is no such job, or the user may not see it. `projects`: whose
// histories may have it. `listed`: the job, if the user's list has it.
export async function findJob(
  id: string,
  projects: readonly string[],
  isAdmin: boolean,
  listed?: Job,
): Promise<FoundJob | undefined> {
  const job = listed ?? (await getJob(id, isAdmin)).job;
  if (job && job.state !== JobState.ENDED) return { job, history: undefined };
  if (job) {
    return { job, history: await findInHistory(id, "", [HistoryScope.MINE]) };
  }
  for (const project of projects) {
    const scopes = [HistoryScope.PROJECT];
    const history = await findInHistory(id, project, scopes);
    if (history) return { job: jobOfHistory(history), history };
  }
  const history = await findInHistory(id, "", scopesFor("", isAdmin));
  return history && { job: jobOfHistory(history), history };
}

// Nothing: the job has ended, or is not the user's. `isAdmin`: jobs of others,
// too, with their owner.
export async function getJob(
  id: string,
  isAdmin: boolean,
): Promise<{ readonly job?: Job }> {
  try {
    const { job } = await clientsOf("").jobs.getJob({ jobId: id });
    return job ? { job } : {};
  } catch (error) {
    if (failureOf(error).code !== Code.NotFound) throw error;
    return isAdmin ? await getJobOfOther(id) : {};
  }
}

async function getJobOfOther(id: string): Promise<{ readonly job?: Job }> {
  // Its client is in the chunk of the administration pages.
  const { adminClient } = await import("../../api/admin");
  const { jobs } = await adminClient.listAllJobs({ filter: { search: id } });
  const found = jobs.find(({ job }) => job?.id === id);
  return found?.job ? { job: { ...found.job, owner: found.owner } } : {};
}

export function scopesFor(project: string, isAdmin: boolean): HistoryScope[] {
  return [
    ...(project ? [HistoryScope.PROJECT] : []),
    HistoryScope.MINE,
    ...(isAdmin ? [HistoryScope.EVERYBODY] : []),
  ];
}

export async function findInHistory(
  id: string,
  project: string,
  scopes: readonly HistoryScope[],
): Promise<HistoryJob | undefined> {
  for (const scope of scopes) {
    const jobs = await historyOf(id, project, scope);
    const found = jobs.find((job) => job.id === id);
    if (found) return found;
  }
  return undefined;
}

// A project that the caller does not manage has no history for them.
async function historyOf(
  id: string,
  project: string,
  scope: HistoryScope,
): Promise<readonly HistoryJob[]> {
  const isProject = scope === HistoryScope.PROJECT;
  try {
    const { jobs } = await historyClient.listHistory({
      filter: { scope, search: id, ...(isProject && { project }) },
    });
    return jobs;
  } catch (error) {
    if (isProject && failureOf(error).code === Code.NotFound) return [];
    throw error;
  }
}
