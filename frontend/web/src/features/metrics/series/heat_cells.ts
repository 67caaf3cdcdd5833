// Values of a heat map.
import type { Plot } from "./plots";

export interface HeatCell {
  readonly label: string;
  readonly value: number; // NaN: a gap
}

// The value of the darkest colour.
export function heatOf({ unit, lines }: Plot): number {
  if (unit === "ratio" || unit === "score") return 1;
  let top = 0;
  for (const { values } of lines) {
    for (const value of values) if (value > top) top = value;
  }
  return top || 1;
}

export function cellAt(
  { lines }: Plot,
  row: number,
  point: number,
): HeatCell | undefined {
  const line = lines[row];
  if (!line || point < 0) return undefined;
  return { label: line.label, value: line.values[point] ?? Number.NaN };
}
