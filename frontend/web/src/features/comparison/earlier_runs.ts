// The ended jobs that a job can be compared with.
import type { HistoryJob } from "#proto/history";
import type { Job } from "#proto/jobs";

const kMaxRuns = 20;

// Jobs of the same name that have run. `ended`: the newest first.
export function earlierRuns(
  job: Job,
  ended: readonly HistoryJob[],
): readonly HistoryJob[] {
  const name = job.spec?.name;
  return ended
    .filter(
      (run) =>
        run.id !== job.id &&
        run.spec?.name === name &&
        run.startedAt !== undefined,
    )
    .slice(0, kMaxRuns);
}
