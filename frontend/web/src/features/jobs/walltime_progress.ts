// Where a job stands between its start and its walltime's end.
import { type Job, JobState } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";

export interface Progress {
  readonly leftMs: number; // never negative
  readonly endsAtMs: number;
  readonly percent: number; // of the walltime used, 0 to 100
  readonly nearEnd: boolean; // the last tenth, at most ten minutes
  // Its apps end so long before the walltime, for its results; 0: they do not.
  readonly earlyMs: number;
}

const kNearEndMs = 10 * 60_000;
// Slurm tells no shorter job of its end (backend/privileged/operations/job_script.cc).
const kShortestToldMs = 10 * 60_000;

// undefined: the job has no running clock.
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
  const earlyMs = copies && end - start >= kShortestToldMs ? lastMs : 0;
  return {
    leftMs,
    endsAtMs: end,
    percent,
    nearEnd: leftMs <= lastMs,
    earlyMs,
  };
}
