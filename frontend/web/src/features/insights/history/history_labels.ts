// The words of the history: how long, how much, by whose count.
import {
  type Accounting,
  Accounting_State,
  type HistoryJob,
} from "#proto/history";
import { type Job, JobEnd, JobSchema } from "#proto/jobs";
import { create } from "@bufbuild/protobuf";
import { formatMinutes } from "../../../lib/format/duration";
import { msOf } from "../../../lib/format/moment";
import { endLabel } from "../../jobs/job_labels";

// 5400 → "1.5", 90 → "0.03", 0 → "0".
export function hoursOf(seconds: bigint): string {
  const hours = Number(seconds) / 3600;
  if (hours === 0) return "0";
  if (hours < 0.005) return "<0.01";
  if (hours < 10) return String(Number(hours.toFixed(2)));
  return Math.round(hours).toLocaleString("en-GB");
}

export function ranFor(job: HistoryJob): string {
  const start = msOf(job.startedAt);
  const end = msOf(job.endedAt);
  if (start === undefined || end === undefined) return "did not run";
  const seconds = Math.max(0, Math.round((end - start) / 1000));
  if (seconds < 120) return `${seconds} s`;
  return formatMinutes(Math.round(seconds / 60));
}

// The words that the cards of jobs have for it, too.
export function endOf(job: HistoryJob): string {
  const like: Job = create(JobSchema, { end: job.end, exitCode: job.exitCode });
  return endLabel(like);
}

export function toneOf({ end }: HistoryJob): "good" | "bad" | "neutral" {
  switch (end) {
    case JobEnd.COMPLETED:
      return "good";
    case JobEnd.FAILED:
    case JobEnd.NODE_FAIL:
    case JobEnd.OUT_OF_MEMORY:
    case JobEnd.NOT_SUBMITTED:
      return "bad";
    default:
      return "neutral";
  }
}

// Whence the figures are, as a sentence.
export function accountingLabel(accounting: Accounting | undefined): string {
  switch (accounting?.state) {
    case Accounting_State.AVAILABLE:
      return "GPU and CPU time are Slurm's own figures, where they are marked, and Carme's until Slurm's are there.";
    case Accounting_State.UNKNOWN:
      return "GPU and CPU time are Carme's own figures: Slurm's accounting was not asked yet.";
    case Accounting_State.UNAVAILABLE:
      return "Slurm's accounting does not answer now: what ended meanwhile has Carme's own figures.";
    case Accounting_State.HIDDEN:
      return "Slurm's accounting shows Carme none of its jobs: GPU and CPU time are Carme's own figures.";
    default:
      return "GPU and CPU time are Carme's own figures: it asks no accounting of Slurm's here.";
  }
}
