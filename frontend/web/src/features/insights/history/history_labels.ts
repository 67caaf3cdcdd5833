// Labels for the job history: durations, usage, source of the figures.
import {
  type Accounting,
  Accounting_State,
  type HistoryJob,
} from "#proto/history";
import { type Job, JobEnd, JobSchema } from "#proto/jobs";
import { create } from "@bufbuild/protobuf";
import { formatRunTime } from "../../../lib/format/duration";
import { msOf } from "../../../lib/format/moment";
import { endLabel } from "../../jobs/job_labels";
import { formatNumber } from "../../../lib/format/number";
import { messages } from "#messages/insights";

// 5400 → "1.5", 90 → "0.03", 0 → "0".
export function hoursOf(seconds: bigint): string {
  const hours = Number(seconds) / 3600;
  if (hours === 0) return "0";
  if (hours < 0.005) return `<${formatNumber(0.01)}`;
  if (hours < 10) return formatNumber(hours, 2);
  return formatNumber(hours, 0);
}

export function ranFor(job: HistoryJob): string {
  const start = msOf(job.startedAt);
  const end = msOf(job.endedAt);
  if (start === undefined || end === undefined) return messages.didNotRun;
  return formatRunTime(end - start);
}

export function retentionLabel(days: number): string {
  const years = days / 365;
  return Number.isInteger(years) && years > 0
    ? messages.jobsAreKeptYears({ years })
    : messages.jobsAreStored({ days });
}

// The same labels as on job cards.
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

// Where the figures come from.
export function accountingLabel(accounting: Accounting | undefined): string {
  switch (accounting?.state) {
    case Accounting_State.AVAILABLE:
      return messages.figuresAreFromSlurm;
    case Accounting_State.UNKNOWN:
      return messages.figuresAreEstimatedNotQueried;
    case Accounting_State.UNAVAILABLE:
      return messages.figuresAreEstimatedNoAnswer;
    case Accounting_State.HIDDEN:
      return messages.figuresAreEstimatedNoAccess;
    default:
      return messages.figuresAreEstimated;
  }
}
