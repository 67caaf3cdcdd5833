// The selection of the summary: whose jobs, and which months; as query string.
import { formatMonth } from "../../lib/format/moment";

export interface SummaryForm {
  readonly owner: string; // as in insights/history/owner_filter.ts
  readonly from: string; // "2026-11", the first month
  readonly to: string; // the last month
}

const kMonth = /^(\d{4})-(0[1-9]|1[0-2])$/;
const kMonths = 36;

// An invalid or reversed period is the current month.
export function summaryOfQuery(query: string, now: number): SummaryForm {
  const params = new URLSearchParams(query);
  const current = monthOf(now);
  const from = params.get("from") ?? current;
  const to = params.get("to") ?? from;
  const isValid = kMonth.test(from) && kMonth.test(to) && from <= to;
  return {
    owner: params.get("owner") ?? "",
    from: isValid ? from : current,
    to: isValid ? to : current,
  };
}

export function queryOfSummary({ owner, from, to }: SummaryForm): string {
  const params = new URLSearchParams();
  if (owner) params.set("owner", owner);
  params.set("from", from);
  if (to !== from) params.set("to", to);
  return params.toString();
}

// Local midnight of the first day, and of the day after the last.
export function boundsOfMonths({ from, to }: SummaryForm): {
  fromMs: number;
  toMs: number;
} {
  return { fromMs: startOf(from, 0), toMs: startOf(to, 1) };
}

// The newest first; `more` are there, too.
export function monthChoices(now: number, more: readonly string[]): string[] {
  const date = new Date(now);
  const last = Array.from({ length: kMonths }, (_, at) =>
    monthOf(new Date(date.getFullYear(), date.getMonth() - at, 1).getTime()),
  );
  return [...new Set([...last, ...more])].sort().reverse();
}

// "November 2026".
export function monthLabel(month: string): string {
  return formatMonth(startOf(month, 0));
}

function monthOf(ms: number): string {
  const date = new Date(ms);
  const month = String(date.getMonth() + 1).padStart(2, "0");
  return `${String(date.getFullYear())}-${month}`;
}

function startOf(month: string, later: number): number {
  const [year, number] = month.split("-").map(Number);
  return new Date(year!, number! - 1 + later, 1).getTime();
}
