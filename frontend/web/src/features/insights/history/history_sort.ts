// The order of the jobs in the history's table.
import type { HistoryJob } from "#proto/history";
import { msOf } from "../../../lib/format/moment";

export const kSortColumns = [
  "name",
  "started",
  "ended",
  "waited",
  "ran",
  "gpu",
  "cpu",
] as const;
export type SortColumn = (typeof kSortColumns)[number];

export interface SortOrder {
  readonly column: SortColumn;
  readonly descending: boolean;
}

// The order in which the server lists them.
export const kNewestFirst: SortOrder = { column: "ended", descending: true };

// undefined: it never started.
export function waitedMs({
  createdAt,
  startedAt,
}: HistoryJob): number | undefined {
  const created = msOf(createdAt);
  const started = msOf(startedAt);
  if (created === undefined || started === undefined) return undefined;
  return Math.max(0, started - created);
}

function ranMs({ startedAt, endedAt }: HistoryJob): number | undefined {
  const started = msOf(startedAt);
  const ended = msOf(endedAt);
  if (started === undefined || ended === undefined) return undefined;
  return ended - started;
}

const kValues: Record<
  SortColumn,
  (job: HistoryJob) => number | string | undefined
> = {
  name: ({ spec }) => spec?.name.toLowerCase(),
  started: ({ startedAt }) => msOf(startedAt),
  ended: ({ endedAt }) => msOf(endedAt),
  waited: waitedMs,
  ran: ranMs,
  gpu: ({ gpuSeconds }) => Number(gpuSeconds),
  cpu: ({ cpuSeconds }) => Number(cpuSeconds),
};

// Jobs without a value come last in both directions.
export function sortedJobs(
  jobs: readonly HistoryJob[],
  { column, descending }: SortOrder,
): readonly HistoryJob[] {
  const valueOf = kValues[column];
  return [...jobs].sort((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x === undefined || y === undefined) {
      return Number(x === undefined) - Number(y === undefined);
    }
    const order = x < y ? -1 : x > y ? 1 : 0;
    return descending ? -order : order;
  });
}

// Selecting a column again reverses it. Times and amounts begin with the
// largest, names with the first.
export function nextOrder(order: SortOrder, column: SortColumn): SortOrder {
  if (order.column === column) {
    return { column, descending: !order.descending };
  }
  return { column, descending: column !== "name" };
}
