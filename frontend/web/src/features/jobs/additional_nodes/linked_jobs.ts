// Linked jobs: Slurm jobs that add nodes to another job. They are shown on the
// card of that job while it is active.
import type { Job } from "#proto/jobs";
import { isLive, keyOf } from "../job_list_state";

export function isLinkedJob(job: Job): boolean {
  return (job.spec?.linkedTo ?? "") !== "";
}

// Oldest first, in the order of the node list.
export function linkedJobsOf(jobs: readonly Job[], parent: Job): Job[] {
  return jobs
    .filter((job) => isLive(job) && linkOf(job) === keyOf(parent))
    .reverse();
}

// The active jobs with a card of their own.
export function cardJobs(jobs: readonly Job[]): Job[] {
  const live = jobs.filter(isLive);
  const keys = new Set(live.map(keyOf));
  return live.filter((job) => !keys.has(linkOf(job)));
}

// The key of the job that this one is linked to.
function linkOf({ cluster, spec }: Job): string {
  return `${cluster}/${spec?.linkedTo ?? ""}`;
}
