// The saturation score of each GPU of a job, and its components.
import type { GridSeries, MetricGrid } from "./metric_grid";
import { kPipes, kSaturation, kSmActive, kSmOccupancy } from "./plot_catalog";
import { type Distribution, distributionOf, saturation } from "./saturation";

export interface GpuScore {
  readonly series: GridSeries; // of the activity of its SMs
  readonly scores: readonly number[]; // NaN: a component is missing
}

// The mean of each component over a time, beside the score.
export interface GpuScoreRow {
  readonly series: GridSeries;
  readonly score: Distribution;
  readonly smActive: Distribution;
  readonly smOccupancy: Distribution;
  readonly pipes: readonly Distribution[]; // as kPipes
}

// GPUs for which every component was sampled.
export function scoreOf(grid: MetricGrid): GpuScore[] {
  return grid.named(kSmActive).flatMap((series) => {
    const parts = partsOf(grid, series);
    if (!parts) return [];
    const { occupancy, pipes } = parts;
    // The mean of scores, not the score of means.
    const sampled = siblingOf(grid, series, kSaturation);
    if (sampled) return [{ series, scores: sampled.values }];
    const scores = series.values.map((smActive, point) =>
      saturation({
        smActive,
        smOccupancy: occupancy.values[point] ?? Number.NaN,
        flopActive: pipes.reduce(
          (sum, { values }) => sum + (values[point] ?? Number.NaN),
          0,
        ),
      }),
    );
    return [{ series, scores }];
  });
}

// Of the points from `first` to before `end`.
export function scoreRows(
  grid: MetricGrid,
  first: number,
  end: number,
): GpuScoreRow[] {
  const over = (values: readonly number[]) =>
    distributionOf(values.slice(first, end));
  return scoreOf(grid).flatMap(({ series, scores }) => {
    const parts = partsOf(grid, series);
    const score = over(scores);
    const smActive = over(series.values);
    const smOccupancy = parts && over(parts.occupancy.values);
    const pipes = parts?.pipes.flatMap(({ values }) => over(values) ?? []);
    if (!score || !smActive || !smOccupancy) return [];
    if (pipes?.length !== kPipes.length) return [];
    return [{ series, score, smActive, smOccupancy, pipes }];
  });
}

function partsOf(grid: MetricGrid, series: GridSeries) {
  const sibling = (name: string) => siblingOf(grid, series, name);
  const occupancy = sibling(kSmOccupancy);
  const pipes = kPipes.flatMap(([name]) => sibling(name) ?? []);
  if (!occupancy || pipes.length !== kPipes.length) return undefined;
  return { occupancy, pipes };
}

function siblingOf(grid: MetricGrid, series: GridSeries, name: string) {
  return grid.named(name).find((other) => gpuKey(other) === gpuKey(series));
}

// Identifies a GPU of a job.
export function gpuKey({ node, labels }: GridSeries): string {
  return `${node} ${labels["gpu"] ?? ""}`;
}
