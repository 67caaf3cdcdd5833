// Announcements of list changes for screen readers.
import { type Job, JobState } from "#proto/jobs";
import type { JobList } from "./job_list_state";
import { endLabel, stateLabel } from "./job_labels";
import { messages } from "./messages";

// One sentence for each job whose state changed. The first snapshot and removed
// jobs are not announced.
export function announcements(before: JobList, after: JobList): string[] {
  if (!before.loaded) return [];
  const old = new Map(before.jobs.map((job) => [job.id, job.state]));
  return after.jobs
    .filter((job) => old.get(job.id) !== job.state)
    .map(sentence);
}

function sentence(job: Job): string {
  const what =
    job.state === JobState.ENDED ? endLabel(job) : stateLabel(job).label;
  return messages.jobIsNow(job.spec?.name ?? job.id, what);
}
