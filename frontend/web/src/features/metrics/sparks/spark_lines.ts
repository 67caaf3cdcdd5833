// The last minutes of a job's CPU, memory and GPU use, for small plots.
import type { GridSeries, MetricGrid } from "../series/metric_grid";
import {
  kCpuTotal,
  kGpuUtilization,
  kMemory,
  kMemoryLimit,
} from "../series/plot_catalog";
import { ratesOf } from "../series/rates";
import { formatValue } from "../series/units";
import { formatNumber } from "../../../lib/format/number";
import { messages } from "#messages/metrics";

export const kSparkNames = [kCpuTotal, kMemory, kMemoryLimit, kGpuUtilization];
export const kSparkPoints = 60;

export interface SparkLine {
  readonly id: "gpu" | "cpu" | "memory";
  readonly label: string;
  readonly text: string; // "1.9 of 4 cores"
  readonly values: readonly number[]; // of the full height; NaN: a gap
}

// Older values are not current.
const kCurrentMs = 30_000;

// Only what has a current value. `cpus`: requested in all; 0: unknown.
export function sparkLines(
  grid: MetricGrid,
  cpus: number,
  nowMs: number,
): SparkLine[] {
  const newest = (values: readonly number[]) => {
    let last = values.length - 1;
    while (last >= 0 && Number.isNaN(values[last])) last--;
    const isCurrent = last >= 0 && nowMs - grid.timeMs(last) < kCurrentMs;
    return isCurrent ? values[last] : undefined;
  };
  const spark = (
    id: SparkLine["id"],
    label: string,
    values: readonly number[],
    top: number,
    textOf: (now: number) => string,
  ): SparkLine | undefined => {
    const now = newest(values);
    if (now === undefined) return undefined;
    const shown = values.slice(-kSparkPoints);
    const highest = shown.reduce(
      (max, value) => (value > max ? value : max),
      top,
    );
    return {
      id,
      label,
      text: textOf(now),
      values: shown.map((value) => value / (highest || 1)),
    };
  };
  const gpu = meanOf(grid.named(kGpuUtilization).map(({ values }) => values));
  const cpu = sumOf(
    ofJob(grid.named(kCpuTotal)).map(({ values }) =>
      ratesOf(values, grid.stepS),
    ),
  );
  const memory = sumOf(ofJob(grid.named(kMemory)).map(({ values }) => values));
  const limit = newest(
    sumOf(ofJob(grid.named(kMemoryLimit)).map(({ values }) => values)),
  );
  return [
    spark("gpu", messages.gpuUse, gpu, 1, (now) => formatValue("ratio", now)),
    spark("cpu", messages.cpu, cpu, cpus, (now) =>
      cpus > 0
        ? messages.ofLimit({
            used: formatNumber(now, 1),
            limit: formatValue("cores", cpus),
          })
        : formatValue("cores", now),
    ),
    spark("memory", messages.memory, memory, limit ?? 0, (now) =>
      limit
        ? messages.ofLimit({
            used: formatValue("bytes", now),
            limit: formatValue("bytes", limit),
          })
        : formatValue("bytes", now),
    ),
  ].filter((line): line is SparkLine => line !== undefined);
}

function ofJob(series: readonly GridSeries[]): readonly GridSeries[] {
  return series.filter(({ labels }) => labels["step"] === undefined);
}

// A gap where one of them has a gap: a sum without a node would be wrong.
function sumOf(all: readonly (readonly number[])[]): number[] {
  if (all.length === 0) return [];
  const length = Math.min(...all.map((values) => values.length));
  return Array.from({ length }, (_, point) =>
    all.reduce((sum, values) => sum + values[point]!, 0),
  );
}

function meanOf(all: readonly (readonly number[])[]): number[] {
  return sumOf(all).map((sum) => sum / all.length);
}

// The pieces of a line between gaps, in a box of 100 by 20.
export function sparkPaths(values: readonly number[]): string[] {
  const step = 100 / (kSparkPoints - 1);
  const from = kSparkPoints - values.length;
  const paths: string[] = [];
  let open = "";
  values.forEach((value, at) => {
    if (Number.isNaN(value)) {
      if (open) paths.push(open);
      open = "";
      return;
    }
    const x = ((from + at) * step).toFixed(1);
    const y = (19 - 18 * Math.min(1, Math.max(0, value))).toFixed(1);
    open += `${open ? "L" : "M"}${x} ${y}`;
  });
  if (open) paths.push(open);
  return paths;
}
