// The filter of the job history, as form, as query string and as message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type HistoryFilter, HistoryFilterSchema } from "#proto/history";
import { JobEnd } from "#proto/jobs";
import { formOfQuery, queryOfForm } from "../../../ui/query_form";
import { ownerOf } from "./owner_filter";
import { messages } from "#messages/insights";

export const kFilterFields = [
  "owner",
  "search",
  "end", // a key of kEnds
  "project", // an ID
  "gpu",
  "user",
  "from", // value of <input type="date">, in the browser's time zone
  "to", // inclusive
] as const;

export type FilterField = (typeof kFilterFields)[number];
export type FilterForm = Readonly<Record<FilterField, string>>;

export const kBlankFilter: FilterForm = {
  owner: "",
  search: "",
  end: "",
  project: "",
  gpu: "",
  user: "",
  from: "",
  to: "",
};

export const kEnds: Readonly<Record<string, readonly JobEnd[]>> = {
  completed: [JobEnd.COMPLETED],
  stopped: [JobEnd.STOPPED],
  "time limit": [JobEnd.TIME_LIMIT],
  failed: [JobEnd.FAILED, JobEnd.OUT_OF_MEMORY],
  "node failed": [JobEnd.NODE_FAIL],
  "not submitted": [JobEnd.NOT_SUBMITTED],
  unknown: [JobEnd.UNKNOWN],
};

export const kEndLabels: Readonly<Record<string, string>> = {
  completed: messages.completed,
  stopped: messages.stopped,
  "time limit": messages.timeLimit,
  failed: messages.failed,
  "node failed": messages.nodeFailed,
  "not submitted": messages.notSubmitted,
  unknown: messages.unknownLabel,
};

export const filterOfQuery = (query: string): FilterForm =>
  formOfQuery(kFilterFields, query);

export const queryOfFilter = (form: FilterForm): string =>
  queryOfForm(kFilterFields, form);

export function messageOfFilter(form: FilterForm): HistoryFilter {
  const { scope, project } = ownerOf(form.owner);
  const from = dayStart(form.from, 0);
  const to = dayStart(form.to, 1);
  return create(HistoryFilterSchema, {
    scope,
    project: project || form.project,
    username: form.user.trim(),
    search: form.search.trim(),
    ends: Object.hasOwn(kEnds, form.end) ? [...kEnds[form.end]!] : [],
    gpuType: form.gpu.trim(),
    ...(from !== undefined && { from: timestampFromMs(from) }),
    ...(to !== undefined && { to: timestampFromMs(to) }),
  });
}

// Local midnight at the start of the day, `days` later. Days with a clock
// change do not have 24 hours.
function dayStart(text: string, lazy: number): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = parts.slice(1).map(Number);
  const date = new Date(year!, month! - 1, day! + lazy);
  return Number.isNaN(date.getTime()) ? undefined : date.getTime();
}
