// Where a job stands between its start and its walltime's end.
import { type Job, JobState } from "#proto/jobs";
import { msOf } from "../format/moment";

export interface Progress {
  readonly leftMs: number; // never negative
  readonly endsAtMs: number;
  readonly percent: number; // of the walltime used, 0 to 100
  readonly nearEnd: boolean; // the last tenth, at most ten minutes
}

const kNearEndMs = 10 * 60_000;

// undefined: the job has no running clock.
export function walltimeProgress(job: Job, now: number): Progress | undefined {
  const start = msOf(job.startedAt);
  const end = msOf(job.endsAt);
  if (job.state >= JobState.STOPPING || !start || !end || end <= start) {
    return undefined;
  }
  const leftMs = Math.min(Math.max(0, end - now), end - start);
  const percent = 100 - (100 * leftMs) / (end - start);
  const nearEnd = leftMs <= Math.min(kNearEndMs, (end - start) / 10);
  return { leftMs, endsAtMs: end, percent, nearEnd };
}
