// Linked jobs: Slurm jobs that add nodes to another job. They are shown on the
// card of that job while it is active.
import type { Job } from "#proto/jobs";
import { isLive } from "../job_list_state";

export function isLinkedJob(job: Job): boolean {
  return (job.spec?.linkedTo ?? "") !== "";
}

// Oldest first, in the order of the node list.
export function linkedJobsOf(jobs: readonly Job[], { id }: Job): Job[] {
  return jobs
    .filter((job) => isLive(job) && job.spec?.linkedTo === id)
    .reverse();
}

// The active jobs with a card of their own.
export function cardJobs(jobs: readonly Job[]): Job[] {
  const live = jobs.filter(isLive);
  const ids = new Set(live.map(({ id }) => id));
  return live.filter(({ spec }) => !ids.has(spec?.linkedTo ?? ""));
}
