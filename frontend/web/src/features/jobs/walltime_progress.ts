// The progress of a job between its start and the end of its walltime.
import { type Job, JobState } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";

export interface Progress {
  readonly leftMs: number; // never negative
  readonly endsAtMs: number;
  readonly percent: number; // of the walltime used, 0 to 100
  readonly nearEnd: boolean; // the last tenth, at most ten minutes
  // Apps end this long before the walltime, to copy results; 0: no results are
  // copied.
  readonly earlyMs: number;
}

const kNearEndMs = 10 * 60_000;
// Slurm does not signal shorter jobs before their end
// (backend/privileged/impersonator/operations/job_script.cc).
const kMinLabelMs = 10 * 60_000;

// Returns undefined if the walltime is not running.
export function walltimeProgress(job: Job, now: number): Progress | undefined {
  const start = msOf(job.startedAt);
  const end = msOf(job.endsAt);
  if (job.state >= JobState.STOPPING || !start || !end || end <= start) {
    return undefined;
  }
  const leftMs = Math.min(Math.max(0, end - now), end - start);
  const percent = 100 - (100 * leftMs) / (end - start);
  const lastMs = Math.min(kNearEndMs, (end - start) / 10);
  const copies = (job.spec?.stageOut.length ?? 0) > 0;
  const earlyMs = copies && end - start >= kMinLabelMs ? lastMs : 0;
  return {
    leftMs,
    endsAtMs: end,
    percent,
    nearEnd: leftMs <= lastMs,
    earlyMs,
  };
}
