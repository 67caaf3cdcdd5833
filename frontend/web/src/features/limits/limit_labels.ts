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
import { formatNumber } from "../../lib/format/number";
import { messages } from "#messages/limits";

export type Level = "fine" | "tight" | "over" | "none";

const kTight = 0.8; // of a limit

const kMetrics: readonly (readonly [LimitMetric, string])[] = [
  [LimitMetric.GPUS_PER_JOB, messages.gpusPerJob],
  [LimitMetric.GPUS, messages.gpusAtOnce],
  [LimitMetric.NODES_PER_JOB, messages.nodesPerJob],
  [LimitMetric.NODES, messages.nodesAtOnce],
  [LimitMetric.JOBS, messages.runningAndPendingJobs],
  [LimitMetric.QUEUED_JOBS, messages.pendingJobs],
  [LimitMetric.JOBS_PER_DAY, messages.jobsPerDay],
  [LimitMetric.WALLTIME, messages.walltime],
  [LimitMetric.GPU_HOURS_PER_DAY, messages.gpuHoursPerDay],
  [LimitMetric.GPU_HOURS_PER_MONTH, messages.gpuHoursPerMonth],
  [LimitMetric.GPU_HOURS, messages.gpuHoursInTotal],
];

const kScopes: readonly (readonly [LimitScope, string])[] = [
  [LimitScope.USER, messages.user],
  [LimitScope.GROUP, messages.eachUserOfAGroup],
  [LimitScope.ROLE, messages.eachUserOfARole],
  [LimitScope.PROJECT, messages.project],
  [LimitScope.MEMBER, messages.membersOfAProject],
];

export const kAllMetrics = kMetrics;
export const kAllScopes = kScopes;

export function metricLabel(metric: LimitMetric): string {
  return kMetrics.find(([each]) => each === metric)?.[1] ?? messages.unknown;
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
  return formatNumber(value, 1);
}

export function maxLabel({ metric, max }: LimitRule): string {
  if (max === undefined) return messages.noLimit;
  if (metric === LimitMetric.WALLTIME) return formatMinutes(Number(max));
  return numberLabel(Number(max));
}

// "3 of 4", "at most 4", "3 used, no limit".
export function usageLabel({ rule, used }: LimitUse): string {
  if (!rule) return "";
  if (!isUsedUp(rule.metric)) {
    return rule.max === undefined
      ? messages.noLimit
      : messages.atMost({ max: maxLabel(rule) });
  }
  const found = numberLabel(used);
  return rule.max === undefined
    ? messages.usedWithoutLimit({ used: found })
    : messages.usedOf({ used: found, max: maxLabel(rule) });
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
      ? messages.reservedForJobs({ amount: numberLabel(promised) })
      : "",
    windowEnd === undefined
      ? ""
      : messages.resetsAt({ moment: moment(windowEnd) }),
    messages.forSource({ source: rule.source }),
    rule.setBy === ""
      ? messages.fromTheSiteConfiguration
      : messages.setByUser({ name: rule.setBy }),
    expiry === undefined
      ? ""
      : messages.untilMoment({ moment: moment(expiry) }),
    rule.note,
  ].filter(Boolean);
}

// "3 of 4" for a limit of Slurm.
export function slurmUsageLabel({ max, used }: SlurmLimit): string {
  const bound = numberLabel(Number(max));
  return used === undefined
    ? bound
    : messages.usedOf({ used: numberLabel(Number(used)), max: bound });
}
