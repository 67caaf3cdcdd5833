// The saturation score of each GPU of a job, and its components.
import { type Rated, ratingOf } from "./gpu_ratings";
import type { GridSeries, MetricGrid } from "./metric_grid";
import {
  kGpuUtilization,
  kPipes,
  kPower,
  kPowerLimit,
  kSaturation,
  kSmActive,
  kSmOccupancy,
} from "./plot_catalog";
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
  readonly flopActive: number; // the sum of the pipes
  readonly utilization: Rated | undefined; // percent
  readonly power: Rated | undefined; // watts
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
    const meanOf = (name: string) => {
      const sampled = siblingOf(grid, series, name);
      return sampled && over(sampled.values)?.mean;
    };
    return [
      {
        series,
        score,
        smActive,
        smOccupancy,
        pipes,
        flopActive: pipes.reduce((sum, { mean }) => sum + mean, 0),
        utilization: ratedUse(meanOf(kGpuUtilization)),
        power: ratedPower(meanOf(kPower), meanOf(kPowerLimit)),
      },
    ];
  });
}

function ratedUse(ratio: number | undefined): Rated | undefined {
  if (ratio === undefined) return undefined;
  const value = ratio * 100;
  return { value, rating: ratingOf("utilization", value) };
}

function ratedPower(
  watts: number | undefined,
  limit: number | undefined,
): Rated | undefined {
  if (watts === undefined || !limit) return undefined;
  return { value: watts, rating: ratingOf("powerShare", watts / limit) };
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
