// The filter of the audit log: as typed, as it stands in the address, and as
// the server takes it.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditFilter, AuditFilterSchema } from "#proto/audit";

export const kFilterFields = [
  "since", // as <input type="datetime-local"> has it, in the reader's zone
  "until",
  "actor",
  "act",
  "decision",
  "text",
] as const;

export type FilterField = (typeof kFilterFields)[number];
export type FilterForm = Readonly<Record<FilterField, string>>;

export function filterOfQuery(query: string): FilterForm {
  const params = new URLSearchParams(query);
  const entries = kFilterFields.map((field) => [
    field,
    params.get(field) ?? "",
  ]);
  return Object.fromEntries(entries) as FilterForm;
}

export function queryOfFilter(form: FilterForm): string {
  const params = new URLSearchParams();
  for (const field of kFilterFields) {
    const value = form[field].trim();
    if (value) params.set(field, value);
  }
  return params.toString();
}

export function messageOfFilter(form: FilterForm): AuditFilter {
  const since = msOfLocal(form.since);
  const until = msOfLocal(form.until);
  return create(AuditFilterSchema, {
    actor: form.actor.trim(),
    act: form.act.trim(),
    decision: form.decision,
    text: form.text.trim(),
    ...(since !== undefined && { since: timestampFromMs(since) }),
    ...(until !== undefined && { until: timestampFromMs(until) }),
  });
}

function msOfLocal(text: string): number | undefined {
  const ms = text ? new Date(text).getTime() : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
