// The periods of the usage page, and their steps: local days, weeks or months.

export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number; // the last one may end in the future
}

export type Step = "day" | "week" | "month";

interface Span {
  readonly step: Step;
  readonly count: number;
}

const kSpans: Readonly<Record<string, Span>> = {
  week: { step: "day", count: 7 },
  month: { step: "day", count: 30 },
  quarter: { step: "week", count: 13 },
  year: { step: "month", count: 12 },
};

export function stepOf(span: string): Step {
  return (kSpans[span] ?? kSpans.month!).step;
}

// The last one has today in it. Days with a clock change do not have 24 hours.
export function bucketsOf(span: string, now: number): Bucket[] {
  const { step, count } = kSpans[span] ?? kSpans.month!;
  const start = (index: number) => startOf(step, now, index - count + 1);
  return Array.from({ length: count }, (_, index) => ({
    fromMs: start(index),
    toMs: start(index + 1),
  }));
}

// Local midnight at which a step begins; 0: the step that ends with today, or
// this month.
function startOf(step: Step, now: number, offset: number): number {
  const date = new Date(now);
  const year = date.getFullYear();
  const month = date.getMonth();
  const day = date.getDate();
  if (step === "month") return new Date(year, month + offset, 1).getTime();
  if (step === "day") return new Date(year, month, day + offset).getTime();
  return new Date(year, month, day - 6 + 7 * offset).getTime();
}

// The time of the same length before a period that has lasted until now.
export function periodBefore(fromMs: number, now: number): Bucket {
  return { fromMs: 2 * fromMs - now, toMs: fromMs };
}
