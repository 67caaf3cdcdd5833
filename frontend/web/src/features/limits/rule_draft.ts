// The form for a limit, and its conversion to the API's message.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { LimitMetric, LimitScope } from "#proto/limit";
import { FieldError } from "../../lib/field_error";
import { parseMinutes } from "../../lib/format/duration";
import { endOfDay } from "../projects/project_labels";
import { messages } from "#messages/limits";

export interface RuleDraft {
  readonly scope: LimitScope;
  readonly name: string; // of a role or group
  readonly project: string;
  readonly username: string;
  readonly metric: LimitMetric;
  readonly max: string; // empty: no limit
  readonly note: string;
  readonly day: string; // last day, "2026-11-22"; empty: no expiry
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

// The error of the first invalid field. The server validates the rest.
export function errorOf(
  draft: RuleDraft,
): FieldError<keyof RuleDraft> | undefined {
  const { scope, max, metric } = draft;
  if (asksName(scope) && !draft.name.trim())
    return new FieldError("name", messages.chooseARoleOrGroup);
  if (asksProject(scope) && !draft.project)
    return new FieldError("project", messages.chooseAProject);
  if (scope === LimitScope.USER && !draft.username.trim())
    return new FieldError("username", messages.enterAUserName);
  if (max.trim() === "" || amountOf(metric, max) !== undefined)
    return undefined;
  return new FieldError(
    "max",
    metric === LimitMetric.WALLTIME
      ? messages.enterAWalltime
      : messages.enterAWholeNumber,
  );
}

function amountOf(metric: LimitMetric, text: string): bigint | undefined {
  const trimmed = text.trim();
  if (metric === LimitMetric.WALLTIME && trimmed !== "0") {
    const minutes = parseMinutes(trimmed);
    return minutes === undefined ? undefined : BigInt(minutes);
  }
  return /^\d{1,10}$/.test(trimmed) ? BigInt(trimmed) : undefined;
}

// Only the fields of the scope.
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

// Text that changes with what a dry run depends on; empty: the limit is not
// complete, or unlimited, which refuses nothing.
export function checkable(draft: RuleDraft): string {
  const { scope, name, project, username, metric, max } = draft;
  if (max.trim() === "" || errorOf(draft)) return "";
  return JSON.stringify({ scope, name, project, username, metric, max });
}
