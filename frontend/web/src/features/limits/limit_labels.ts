// Limits and what is used of them, in words.
import {
  type LimitRule,
  LimitMetric,
  LimitScope,
  type LimitUse,
  type SlurmLimit,
} from "#proto/limit";
import { formatMinutes } from "../../lib/format/duration";
import { msOf } from "../../lib/format/moment";

export type Level = "fine" | "tight" | "over" | "none";

const kTight = 0.8; // of a limit

const kMetrics: readonly (readonly [LimitMetric, string])[] = [
  [LimitMetric.GPUS_PER_JOB, "GPUs of one job"],
  [LimitMetric.GPUS, "GPUs at once"],
  [LimitMetric.NODES_PER_JOB, "Nodes of one job"],
  [LimitMetric.NODES, "Nodes at once"],
  [LimitMetric.JOBS, "Jobs at once, waiting ones too"],
  [LimitMetric.QUEUED_JOBS, "Jobs that wait"],
  [LimitMetric.JOBS_PER_DAY, "Jobs a day"],
  [LimitMetric.WALLTIME, "Walltime"],
  [LimitMetric.GPU_HOURS_PER_DAY, "GPU-hours a day"],
  [LimitMetric.GPU_HOURS_PER_MONTH, "GPU-hours a month"],
  [LimitMetric.GPU_HOURS, "GPU-hours in all"],
];

const kScopes: readonly (readonly [LimitScope, string])[] = [
  [LimitScope.USER, "One user"],
  [LimitScope.GROUP, "Each user of a group"],
  [LimitScope.ROLE, "Each user of a role"],
  [LimitScope.PROJECT, "A project"],
  [LimitScope.MEMBER, "Users in a project"],
];

export const kAllMetrics = kMetrics;
export const kAllScopes = kScopes;

export function metricLabel(metric: LimitMetric): string {
  return kMetrics.find(([each]) => each === metric)?.[1] ?? "Unknown";
}

// Of what one job alone must keep, nothing is used up.
export function isUsedUp(metric: LimitMetric): boolean {
  return (
    metric !== LimitMetric.GPUS_PER_JOB &&
    metric !== LimitMetric.NODES_PER_JOB &&
    metric !== LimitMetric.WALLTIME
  );
}

export function isHours(metric: LimitMetric): boolean {
  return (
    metric === LimitMetric.GPU_HOURS_PER_DAY ||
    metric === LimitMetric.GPU_HOURS_PER_MONTH ||
    metric === LimitMetric.GPU_HOURS
  );
}

// "2", "2.5", "1,234": one digit at most.
export function numberLabel(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 1 });
}

export function maxLabel({ metric, max }: LimitRule): string {
  if (max === undefined) return "no limit";
  if (metric === LimitMetric.WALLTIME) return formatMinutes(Number(max));
  return numberLabel(Number(max));
}

// "3 of 4", "at most 4", "3 used, no limit".
export function usageLabel({ rule, used }: LimitUse): string {
  if (!rule) return "";
  if (!isUsedUp(rule.metric)) {
    return rule.max === undefined ? "no limit" : `at most ${maxLabel(rule)}`;
  }
  const found = numberLabel(used);
  return rule.max === undefined
    ? `${found} used, no limit`
    : `${found} of ${maxLabel(rule)}`;
}

// 0 to 1; undefined: there is nothing to draw.
export function shareOf({ rule, used }: LimitUse): number | undefined {
  if (!rule || rule.max === undefined || !isUsedUp(rule.metric)) {
    return undefined;
  }
  const max = Number(rule.max);
  return max === 0 ? 1 : Math.min(1, used / max);
}

export function levelOf(use: LimitUse): Level {
  const share = shareOf(use);
  if (share === undefined) return "none";
  if (share >= 1) return "over";
  return share >= kTight ? "tight" : "fine";
}

// What else there is to say of it: how much is only promised, whose limit it
// is, until when.
export function noteLabel(
  use: LimitUse,
  moment: (ms: number) => string,
): readonly string[] {
  const { rule, used, spent, windowEndsAt } = use;
  if (!rule) return [];
  const promised = isHours(rule.metric) ? used - spent : 0;
  const windowEnd = msOf(windowEndsAt);
  const expiry = msOf(rule.expiresAt);
  return [
    promised >= 0.05
      ? `${numberLabel(promised)} of it for what runs and waits`
      : "",
    windowEnd === undefined ? "" : `begins anew ${moment(windowEnd)}`,
    `for ${rule.source}`,
    rule.setBy === "" ? "by the site's configuration" : `set by ${rule.setBy}`,
    expiry === undefined ? "" : `until ${moment(expiry)}`,
    rule.note,
  ].filter(Boolean);
}

// "3 of 4" of one of Slurm's own.
export function slurmUsageLabel({ max, used }: SlurmLimit): string {
  const bound = numberLabel(Number(max));
  return used === undefined
    ? bound
    : `${numberLabel(Number(used))} of ${bound}`;
}
