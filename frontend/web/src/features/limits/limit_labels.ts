// Labels for limits and their usage.
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
  [LimitMetric.GPUS_PER_JOB, "GPUs per job"],
  [LimitMetric.GPUS, "GPUs at once"],
  [LimitMetric.NODES_PER_JOB, "Nodes per job"],
  [LimitMetric.NODES, "Nodes at once"],
  [LimitMetric.JOBS, "Running and pending jobs"],
  [LimitMetric.QUEUED_JOBS, "Pending jobs"],
  [LimitMetric.JOBS_PER_DAY, "Jobs per day"],
  [LimitMetric.WALLTIME, "Walltime"],
  [LimitMetric.GPU_HOURS_PER_DAY, "GPU-hours per day"],
  [LimitMetric.GPU_HOURS_PER_MONTH, "GPU-hours per month"],
  [LimitMetric.GPU_HOURS, "GPU-hours in total"],
];

const kScopes: readonly (readonly [LimitScope, string])[] = [
  [LimitScope.USER, "User"],
  [LimitScope.GROUP, "Each user of a group"],
  [LimitScope.ROLE, "Each user of a role"],
  [LimitScope.PROJECT, "Project"],
  [LimitScope.MEMBER, "Members of a project"],
];

export const kAllMetrics = kMetrics;
export const kAllScopes = kScopes;

export function metricLabel(metric: LimitMetric): string {
  return kMetrics.find(([each]) => each === metric)?.[1] ?? "Unknown";
}

// Limits for single jobs have no usage.
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

// "2", "2.5", "1,234": at most one decimal digit.
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

// 0 to 1; undefined: no bar.
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

// Details: reserved share, source of the limit, expiry.
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
      ? `${numberLabel(promised)} of it reserved for running and pending jobs`
      : "",
    windowEnd === undefined ? "" : `resets ${moment(windowEnd)}`,
    `for ${rule.source}`,
    rule.setBy === "" ? "from the site configuration" : `set by ${rule.setBy}`,
    expiry === undefined ? "" : `until ${moment(expiry)}`,
    rule.note,
  ].filter(Boolean);
}

// "3 of 4" for a limit of Slurm.
export function slurmUsageLabel({ max, used }: SlurmLimit): string {
  const bound = numberLabel(Number(max));
  return used === undefined
    ? bound
    : `${numberLabel(Number(used))} of ${bound}`;
}
