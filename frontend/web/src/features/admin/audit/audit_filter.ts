// The filter of the audit log, as form, as query string and as message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditFilter, AuditFilterSchema } from "#proto/audit";
import { formOfQuery, queryOfForm } from "../../../ui/query_form";

export const kFilterFields = [
  "since", // value of <input type="datetime-local">, in the browser's time zone
  "until",
  "actor",
  "act",
  "decision",
  "text",
] as const;

export type FilterField = (typeof kFilterFields)[number];
export type FilterForm = Readonly<Record<FilterField, string>>;

export const filterOfQuery = (query: string): FilterForm =>
  formOfQuery(kFilterFields, query);

export const queryOfFilter = (form: FilterForm): string =>
  queryOfForm(kFilterFields, form);

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
