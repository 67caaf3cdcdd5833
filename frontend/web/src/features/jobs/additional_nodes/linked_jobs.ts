// Companions: jobs whose nodes and GPUs have joined another job's. They are
// shown with that job for as long as it lives.
import type { Job } from "#proto/jobs";
import { isLive } from "../job_list_state";

export function isLinkedJob(job: Job): boolean {
  return (job.spec?.companionOf ?? "") !== "";
}

// The oldest first, as their nodes come in the job's list.
export function linkedJobsOf(jobs: readonly Job[], { id }: Job): Job[] {
  return jobs
    .filter((job) => isLive(job) && job.spec?.companionOf === id)
    .reverse();
}

// The live jobs that have a card: not those that are shown with another.
export function cardJobs(jobs: readonly Job[]): Job[] {
  const live = jobs.filter(isLive);
  const ids = new Set(live.map(({ id }) => id));
  return live.filter(({ spec }) => !ids.has(spec?.companionOf ?? ""));
}
