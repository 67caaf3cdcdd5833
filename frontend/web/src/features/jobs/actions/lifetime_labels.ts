// Labels and rules for the lifetime of a job.
import type { JobGpu } from "#proto/gpu_idle";
import { type Job, JobState } from "#proto/jobs";
import { formatAgo, formatMinutes } from "../../../lib/format/duration";
import { formatBytes } from "../../../lib/format/memory";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { isHeldByAdmin } from "../admin_labels";
import { messages } from "#messages/jobs";
import { walltimeProgress } from "../walltime_progress";

const kMinute = 60_000;

// In whole minutes; 0: the job cannot be extended.
export function extendableMinutes(job: Job): number {
  if (!job.extendableBy) return 0;
  return Math.floor(Number(job.extendableBy.seconds) / 60);
}

// The choices of the dialog: common values below the maximum, and the maximum.
const kCommonValues = [15, 30, 60, 120, 240, 480];
const kMaxChoices = 5;

export function extensionChoices(max: number): number[] {
  if (max <= 0) return [];
  const below = kCommonValues.filter((minutes) => minutes < max);
  return [...below.slice(0, kMaxChoices - 1), max];
}

// Users cannot release an administrator's hold.
export function mayHold(job: Job): boolean {
  return job.state === JobState.PENDING && !job.held && job.slurmJobId > 0;
}
export function mayRelease(job: Job): boolean {
  return job.state === JobState.PENDING && job.held && !isHeldByAdmin(job);
}

// Urgent messages; empty: none.
export function endsSoonLabel(job: Job, now: number): string {
  const progress = walltimeProgress(job, now);
  if (!progress?.nearEnd || progress.leftMs <= 0) return "";
  const minutes = Math.ceil(progress.leftMs / kMinute);
  return messages.endsIn({ duration: formatMinutes(minutes) });
}

// Empty: no extension is pending in Slurm.
export function pendingExtensionLabel({ pendingExtension }: Job): string {
  const minutes = Math.round(Number(pendingExtension?.seconds ?? 0n) / 60);
  if (minutes <= 0) return "";
  return messages.extensionSaved({ duration: formatMinutes(minutes) });
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
        ? messages.overLimitHeld
        : messages.overLimitRevert
      : minutes > 0
        ? messages.overLimitWillBeCancelled({
            duration: formatMinutes(minutes),
          })
        : messages.overLimitIsBeingCancelled;
  return `${messages.overLimit({ limits: violations })} ${then}`;
}

// The usage of the apps in browsers: "2 open connections · last input 5 min ago
// · 12 MiB sent". Empty: not used yet.
export function inUseLabel(job: Job, now: number): string {
  const { inUse } = job;
  if (!inUse) return "";
  const input = msOf(inUse.lastInput);
  return [
    inUse.connections > 0
      ? messages.openConnections({ count: inUse.connections })
      : messages.notOpenInABrowser,
    input !== undefined &&
      messages.lastInput({ ago: formatAgo(Math.max(0, now - input)) }),
    inUse.sentBytes > 0n &&
      messages.sent({ size: formatBytes(Number(inUse.sentBytes)) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

const kMaxNodes = 4;

// "n1: 0, 1; n2: 0".
function gpuList(gpus: readonly JobGpu[]): string {
  const nodes = new Map<string, string[]>();
  for (const { node, gpu } of gpus) {
    nodes.set(node, [...(nodes.get(node) ?? []), gpu]);
  }
  const all = [...nodes].map(([node, names]) => `${node}: ${names.join(", ")}`);
  const shown = all.slice(0, kMaxNodes).join("; ");
  return all.length > kMaxNodes ? `${shown}; …` : shown;
}

export function idleLabel(job: Job, now: number): string {
  const since = msOf(job.idle?.since);
  if (since === undefined || job.state !== JobState.READY) return "";
  const minutes = Math.floor((now - since) / kMinute);
  const unused =
    minutes < 1 ? messages.lessThanAMinute : formatMinutes(minutes);
  const stops = msOf(job.idle?.stopsAt);
  const gpus = job.idle?.gpus ?? [];
  if (gpus.length > 0) {
    const idle = {
      count: gpus.length,
      duration: unused,
      gpus: gpuList(gpus),
    };
    if (stops === undefined) return messages.gpusIdleFor(idle);
    const moment = formatMoment(stops, now);
    if (!job.idle?.returnsNodes) {
      return messages.gpusIdleUntil({ ...idle, moment });
    }
    const nodes = new Set(gpus.map(({ node }) => node)).size;
    return messages.gpusIdleReturned({ ...idle, nodes, moment });
  }
  return stops === undefined
    ? messages.idleFor({ duration: unused })
    : messages.idleUntil({
        duration: unused,
        moment: formatMoment(stops, now),
      });
}
