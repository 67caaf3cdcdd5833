// A limit as an administrator writes it down, and as the contract has it.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { LimitMetric, LimitScope } from "#proto/limit";
import { parseMinutes } from "../../lib/format/duration";
import { endOfDay } from "../projects/project_labels";

export interface RuleDraft {
  readonly scope: LimitScope;
  readonly name: string; // of a role or a group
  readonly project: string;
  readonly username: string;
  readonly metric: LimitMetric;
  readonly max: string; // empty: no limit
  readonly note: string;
  readonly day: string; // its last one, "2026-11-22"; empty: for good
}

export const kBlankRule: RuleDraft = {
  scope: LimitScope.USER,
  name: "",
  project: "",
  username: "",
  metric: LimitMetric.GPU_HOURS_PER_MONTH,
  max: "",
  note: "",
  day: "",
};

export const kRoles = ["user", "manager", "support", "admin"] as const;

export function asksName(scope: LimitScope): boolean {
  return scope === LimitScope.ROLE || scope === LimitScope.GROUP;
}
export function asksProject(scope: LimitScope): boolean {
  return scope === LimitScope.PROJECT || scope === LimitScope.MEMBER;
}
export function asksUser(scope: LimitScope): boolean {
  return scope === LimitScope.USER || scope === LimitScope.MEMBER;
}

// What cannot be read; "" when all can. The server judges the rest.
export function problemOf(draft: RuleDraft): string {
  const { scope, max, metric } = draft;
  if (asksName(scope) && !draft.name.trim()) return "Whose limit is it?";
  if (asksProject(scope) && !draft.project) return "Which project?";
  if (scope === LimitScope.USER && !draft.username.trim()) return "Which user?";
  if (max.trim() === "" || amountOf(metric, max) !== undefined) return "";
  return metric === LimitMetric.WALLTIME
    ? "A walltime is written as 8 h, 1:30 or 90 min."
    : "A limit is a whole number, 0 or more; empty means none.";
}

function amountOf(metric: LimitMetric, text: string): bigint | undefined {
  const trimmed = text.trim();
  if (metric === LimitMetric.WALLTIME && trimmed !== "0") {
    const minutes = parseMinutes(trimmed);
    return minutes === undefined ? undefined : BigInt(minutes);
  }
  return /^\d{1,10}$/.test(trimmed) ? BigInt(trimmed) : undefined;
}

// Only what belongs to its scope.
export function ruleOf(draft: RuleDraft) {
  const { scope, metric } = draft;
  const max = amountOf(metric, draft.max);
  const end = endOfDay(draft.day);
  return {
    scope,
    metric,
    name: asksName(scope) ? draft.name.trim() : "",
    project: asksProject(scope) ? draft.project : "",
    username: asksUser(scope) ? draft.username.trim() : "",
    note: draft.note.trim(),
    ...(max !== undefined && { max }),
    ...(end !== undefined && { expiresAt: timestampFromMs(end) }),
  };
}
