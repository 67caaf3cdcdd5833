// Stacked bars of the usage: one bar for each step, one segment for each row.
import type { GetUsageResponse, UsageRow, UsageStep } from "#proto/history";
import { hoursOf } from "../history/history_labels";
import { messages } from "#messages/usage";

export type Measure = "gpuSeconds" | "cpuSeconds";

export interface Segment {
  readonly key: string;
  readonly seconds: number;
  readonly from: number; // of the bar, in seconds
}

export interface UsageBars {
  readonly measure: Measure;
  readonly keys: readonly string[]; // with a colour of their own
  readonly bars: readonly (readonly Segment[])[];
  readonly maxSeconds: number; // upper end of the axis
}

// Rows beyond these are one segment.
const kMaxKeys = 9;
export const kOthers = "\n"; // no username, project or type

const kHour = 3600;

// Without any GPU time the bars are CPU time.
export function usageBars(
  total: GetUsageResponse,
  parts: readonly Pick<UsageStep, "rows">[],
): UsageBars {
  const measure = total.rows.some(({ gpuSeconds }) => gpuSeconds > 0n)
    ? "gpuSeconds"
    : "cpuSeconds";
  const keys = [...total.rows]
    .filter((row) => row[measure] > 0n)
    .sort((a, b) => Number(b[measure] - a[measure]))
    .slice(0, kMaxKeys)
    .map(({ key }) => key);
  const bars = parts.map(({ rows }) => segmentsOf(rows, keys, measure));
  const highest = Math.max(...bars.map(heightOf), 0);
  return { measure, keys, bars, maxSeconds: kHour * niceMax(highest / kHour) };
}

export function heightOf(bar: readonly Segment[]): number {
  return bar.reduce((sum, { seconds }) => sum + seconds, 0);
}

function segmentsOf(
  rows: readonly UsageRow[],
  keys: readonly string[],
  measure: Measure,
): Segment[] {
  const amounts = new Map<string, number>();
  for (const row of rows) {
    const key = keys.includes(row.key) ? row.key : kOthers;
    amounts.set(key, (amounts.get(key) ?? 0) + Number(row[measure]));
  }
  let from = 0;
  return [...keys, kOthers].flatMap((key) => {
    const seconds = amounts.get(key) ?? 0;
    if (seconds <= 0) return [];
    const segment = { key, seconds, from };
    from += seconds;
    return [segment];
  });
}

// The next of 0.02, 0.04, 0.1, 0.2, 0.5, 1, …: half of it, the label in the middle
// of the axis, has at most two decimal places, too.
export function niceMax(value: number): number {
  for (const first of [0.02, 0.04]) {
    if (first >= value) return first;
  }
  let size = 0.1;
  for (;;) {
    for (const factor of [1, 2, 5]) {
      if (factor * size >= value) return factor * size;
    }
    size *= 10;
  }
}

// From this factor on a percentage would have four digits.
const kTimes = 11;

// "+18 %", "−3 %", "as before", "new", "12 times".
export function trendLabel(now: bigint, before: bigint): string {
  if (before === 0n) return now === 0n ? "" : messages.newUsage;
  const ratio = Number(now) / Number(before);
  if (ratio >= kTimes) return messages.times({ factor: Math.round(ratio) });
  const percent = Math.round(100 * (ratio - 1));
  if (percent === 0) return messages.asBefore;
  return percent > 0
    ? messages.more({ percent })
    : messages.less({ percent: -percent });
}

// Of the sum of a period, with that of the period before.
export function comparisonLabel(now: bigint, before: bigint): string {
  if (before === 0n) return messages.noneInThePeriodBefore;
  return messages.comparedToBefore({
    trend: trendLabel(now, before),
    hours: hoursOf(before),
  });
}

export function sumOf(usage: GetUsageResponse, measure: Measure): bigint {
  return usage.rows.reduce((sum, row) => sum + row[measure], 0n);
}
