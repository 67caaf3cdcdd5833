// The filter of the service log, as form, as query string and as message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type LogFilter, LogFilterSchema, LogSeverity } from "#proto/log";
import { formOfQuery, queryOfForm } from "../../../ui/query_form";

export const kLogFilterFields = [
  "since", // value of <input type="datetime-local">, in the browser's time zone
  "until",
  "job",
  "node",
  "service",
  "level", // "error"; else warnings, too
  "request",
] as const;

export type LogFilterField = (typeof kLogFilterFields)[number];
export type LogFilterForm = Readonly<Record<LogFilterField, string>>;

export const kServices = [
  "carme-backend",
  "carme-frontend",
  "carme-proxy",
  "carme-prolog",
  "carme-epilog",
  "carme-agent",
  "image-build",
  "carme-impersonator",
  "carme-storage-reader",
] as const;

export const logFilterOfQuery = (query: string): LogFilterForm =>
  formOfQuery(kLogFilterFields, query);

export const queryOfLogFilter = (form: LogFilterForm): string =>
  queryOfForm(kLogFilterFields, form);

export function logQueryOfJob(job: string): string {
  return queryOfLogFilter({ ...logFilterOfQuery(""), job });
}

export function messageOfLogFilter(form: LogFilterForm): LogFilter {
  const since = msOfLocal(form.since);
  const until = msOfLocal(form.until);
  return create(LogFilterSchema, {
    job: form.job.trim(),
    node: form.node.trim(),
    service: form.service,
    requestId: form.request.trim(),
    minSeverity:
      form.level === "error" ? LogSeverity.ERROR : LogSeverity.UNSPECIFIED,
    ...(since !== undefined && { since: timestampFromMs(since) }),
    ...(until !== undefined && { until: timestampFromMs(until) }),
  });
}

function msOfLocal(text: string): number | undefined {
  const ms = text ? new Date(text).getTime() : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
