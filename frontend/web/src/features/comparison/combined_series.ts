// One line for a job: its series of a name together, over the time since its
// start.

// Sums of parts, such as network devices, need each of them; a mean is of those
// that have a value.
export type Combination = "mean" | "sum";

export function combined(
  series: readonly (readonly number[])[],
  how: Combination,
): number[] {
  const length = Math.max(0, ...series.map((values) => values.length));
  return Array.from({ length }, (_, point) => {
    const all = series.map((values) => values[point] ?? Number.NaN);
    const known = all.filter((value) => !Number.isNaN(value));
    const isComplete = known.length === all.length;
    if (known.length === 0 || (how === "sum" && !isComplete)) return Number.NaN;
    const sum = known.reduce((total, value) => total + value, 0);
    return how === "sum" ? sum : sum / known.length;
  });
}

export interface TimedValues {
  readonly fromMs: number; // Unix time of the first value
  readonly stepS: number;
  readonly values: readonly number[];
}

// The values at 0, stepS, 2 × stepS, … after `startMs`: each the last one that is
// not later. NaN before the first and after the last.
export function sinceStart(
  timed: TimedValues,
  startMs: number,
  stepS: number,
  length: number,
): number[] {
  const offsetMs = timed.fromMs - startMs;
  return Array.from({ length }, (_, point) => {
    const at = (point * stepS * 1000 - offsetMs) / (timed.stepS * 1000);
    return timed.values[Math.floor(at)] ?? Number.NaN;
  });
}

// undefined: no value is known.
export function meanOf(values: readonly number[]): number | undefined {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return undefined;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

export function lastOf(values: readonly number[]): number | undefined {
  return values.filter((value) => !Number.isNaN(value)).pop();
}
