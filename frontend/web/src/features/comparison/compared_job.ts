// A job of a comparison, with what is known of it.
import type { JobReceipt } from "#proto/findings";
import type { HistoryJob } from "#proto/history";
import { type Job, JobState } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";
import type { MetricGrid } from "../metrics/series/metric_grid";

export interface ComparedJob {
  readonly letter: string; // A, B, …
  readonly job: Job;
  readonly history: HistoryJob | undefined; // of an ended job
  readonly receipt: JobReceipt | undefined;
  readonly noReceipt: string; // why there is none
  readonly grid: MetricGrid | undefined;
  readonly noGrid: string; // why there is none
}

export function letterOf(at: number): string {
  return String.fromCharCode("A".charCodeAt(0) + at);
}

export interface Span {
  readonly startMs: number;
  readonly endMs: number; // of a running job: now
}

// undefined: the job has not started.
export function spanOf(job: Job, now: number): Span | undefined {
  const startMs = msOf(job.startedAt);
  if (startMs === undefined) return undefined;
  const endMs = job.state === JobState.ENDED ? msOf(job.endsAt) : undefined;
  return { startMs, endMs: endMs ?? now };
}
