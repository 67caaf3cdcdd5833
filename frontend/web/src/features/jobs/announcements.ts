// Announcements of list changes for screen readers.
import { type Job, JobState } from "#proto/jobs";
import { type JobList, keyOf } from "./job_list_state";
import { endLabel, stateLabel } from "./job_labels";
import { messages } from "#messages/jobs";

// One sentence for each job whose state changed. The first snapshot of a cluster
// and removed jobs are not announced.
export function announcements(before: JobList, after: JobList): string[] {
  if (!before.loaded) return [];
  const old = new Map(before.jobs.map((job) => [keyOf(job), job.state]));
  const isFirst = ({ cluster }: Job) =>
    after.clusters.includes(cluster) && !before.clusters.includes(cluster);
  return after.jobs
    .filter((job) => old.get(keyOf(job)) !== job.state && !isFirst(job))
    .map(sentence);
}

function sentence(job: Job): string {
  const what =
    job.state === JobState.ENDED ? endLabel(job) : stateLabel(job).label;
  return messages.jobIsNow({ name: job.spec?.name ?? job.id, state: what });
}
