// The words for what may be done with a job while it lives.
import { type Job, JobState } from "#proto/jobs";
import { count } from "../../../lib/format/count";
import { formatAgo, formatMinutes } from "../../../lib/format/duration";
import { formatBytes } from "../../../lib/format/memory";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { isHeldByAdmin } from "../admin_labels";
import { walltimeProgress } from "../walltime_progress";

const kMinute = 60_000;

// In whole minutes; 0: it cannot be extended.
export function extendableMinutes(job: Job): number {
  if (!job.extendableBy) return 0;
  return Math.floor(Number(job.extendableBy.seconds) / 60);
}

// What is offered in the dialog: the usual ones below the most, and the most.
const kUsual = [15, 30, 60, 120, 240, 480];
const kMaxChoices = 5;

export function extensionChoices(max: number): number[] {
  if (max <= 0) return [];
  const below = kUsual.filter((minutes) => minutes < max);
  return [...below.slice(0, kMaxChoices - 1), max];
}

// Only what Slurm would do: an administrator's hold stays.
export function mayHold(job: Job): boolean {
  return job.state === JobState.PENDING && !job.held && job.slurmJobId > 0;
}
export function mayRelease(job: Job): boolean {
  return job.state === JobState.PENDING && job.held && !isHeldByAdmin(job);
}

// What must be read now; empty: nothing.
export function endsSoonLabel(job: Job, now: number): string {
  const progress = walltimeProgress(job, now);
  if (!progress?.nearEnd || progress.leftMs <= 0) return "";
  const minutes = Math.ceil(progress.leftMs / kMinute);
  return `It ends in ${formatMinutes(minutes)}: what is not saved is lost.`;
}

// Empty: no extension waits for Slurm.
export function pendingExtensionLabel({ pendingExtension }: Job): string {
  const minutes = Math.round(Number(pendingExtension?.seconds ?? 0n) / 60);
  if (minutes <= 0) return "";
  return `Extension by ${formatMinutes(minutes)} recorded. It is made as soon as Slurm responds.`;
}

// Empty: the job exceeds no limit.
export function overLimitLabel({ overLimit, held }: Job, now: number): string {
  if (!overLimit) return "";
  const violations = overLimit.violations.map((one) => one.message).join("; ");
  const cancelAt = msOf(overLimit.cancelAt);
  const minutes = Math.ceil(((cancelAt ?? now) - now) / kMinute);
  const then =
    cancelAt === undefined
      ? held
        ? " It is held: change it back in Slurm, then release it."
        : " Change it back in Slurm."
      : minutes > 0
        ? ` It is cancelled in ${formatMinutes(minutes)} unless you change it back in Slurm.`
        : " It is cancelled.";
  return `This job was changed in Slurm and exceeds a limit: ${violations}.${then}`;
}

// How its apps are used in browsers: "2 open connections · last input 5 min
// ago · 12 MiB sent". Empty: nothing was seen yet.
export function inUseLabel(job: Job, now: number): string {
  const { inUse } = job;
  if (!inUse) return "";
  const input = msOf(inUse.lastInput);
  return [
    inUse.connections > 0
      ? count(inUse.connections, "open connection")
      : "not open in a browser",
    input !== undefined && `last input ${formatAgo(Math.max(0, now - input))}`,
    inUse.sentBytes > 0n && `${formatBytes(Number(inUse.sentBytes))} sent`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export function idleLabel(job: Job, now: number): string {
  const since = msOf(job.idle?.since);
  if (since === undefined || job.state !== JobState.READY) return "";
  const minutes = Math.floor((now - since) / kMinute);
  const unused = minutes < 1 ? "less than a minute" : formatMinutes(minutes);
  const stops = msOf(job.idle?.stopsAt);
  return stops === undefined
    ? `Nobody has used it for ${unused}. Others may wait for what it holds.`
    : `Nobody has used it for ${unused}. It is stopped at about ${formatMoment(stops, now)}, unless you use it.`;
}
