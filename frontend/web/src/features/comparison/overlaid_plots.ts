// The plots of several jobs over the time since the start of each: a line for
// each job.
import type { MetricGrid, TimeGrid } from "../metrics/series/metric_grid";
import {
  gpuPlots,
  kJobPlots,
  type PlotSource,
} from "../metrics/series/plot_catalog";
import { ofJob, type Plot, programPlots } from "../metrics/series/plots";
import { ratesOf } from "../metrics/series/rates";
import { scoreOf } from "../metrics/series/saturation_series";
import { type Combination, combined, sinceStart } from "./combined_series";
import { messages } from "#messages/comparison";

export interface OverlaidJob {
  readonly id: string;
  readonly label: string;
  readonly startMs: number;
  readonly grid: MetricGrid | undefined; // undefined: nothing is known
}

export interface Overlay {
  readonly grid: TimeGrid;
  readonly plots: readonly Plot[];
  readonly omitted: number; // values of programs
}

// By the id of a plot of one job. All lines of the plot together, or the first.
const kCombined: readonly (readonly [string, Combination, "all" | "first"])[] =
  [
    ["gpu-utilization", "mean", "first"],
    ["gpu-sm-active", "mean", "first"],
    ["gpu-memory", "sum", "first"],
    ["gpu-power", "sum", "first"],
    ["cpu", "sum", "first"],
    ["memory", "sum", "first"],
    ["storage", "sum", "all"],
    ["network", "sum", "all"],
  ];
const kManyGpus = 2; // plots with one value each
const kMaxProgramPlots = 12;

// undefined: no value of any job is known.
export function overlay(jobs: readonly OverlaidJob[]): Overlay | undefined {
  const grids = jobs.flatMap(({ grid }) => grid ?? []);
  if (grids.length === 0) return undefined;
  const stepS = Math.max(...grids.map((grid) => grid.stepS));
  const length = Math.max(
    ...grids.map((grid) => Math.ceil((grid.length * grid.stepS) / stepS)),
  );
  const plotOf = (
    source: Omit<PlotSource, "lines">,
    about: string,
    valuesOf: (grid: MetricGrid) => readonly number[],
  ): Plot[] => {
    const lines = jobs.map(({ id, label, startMs, grid }) => ({
      key: id,
      label,
      values: grid
        ? sinceStart(
            { fromMs: grid.fromMs, stepS: grid.stepS, values: valuesOf(grid) },
            startMs,
            stepS,
            length,
          )
        : new Array<number>(length).fill(Number.NaN),
      isLimit: false,
    }));
    if (!lines.some(({ values }) => values.some(isKnown))) return [];
    const { id, title, section, unit } = source;
    const shape = { omitted: 0, isHeatMap: false };
    return [{ id, title, section, unit, about, lines, ...shape }];
  };

  const program = programSources(grids);
  const plots = [
    ...plotOf(
      {
        id: "gpu-saturation",
        title: messages.score,
        section: "gpu",
        unit: "score",
      },
      messages.lineMean,
      (grid) =>
        combined(
          scoreOf(grid).map(({ scores }) => scores),
          "mean",
        ),
    ),
    ...kCombined.flatMap(([id, how, which]) => {
      const source = sourceOf(id);
      if (!source) return [];
      const lines = which === "all" ? source.lines : source.lines.slice(0, 1);
      return plotOf(
        source,
        how === "mean" ? messages.lineMean : messages.lineSum,
        (grid) =>
          combined(
            lines.flatMap((line) => seriesOf(grid, line.name, line.isRate)),
            how,
          ),
      );
    }),
    ...program
      .slice(0, kMaxProgramPlots)
      .flatMap((source) =>
        plotOf(source, messages.lineMeanOfRanks, (grid) =>
          combined(programValues(grid, source), "mean"),
        ),
      ),
  ];
  return {
    grid: {
      fromMs: 0,
      stepS,
      length,
      timeMs: (point) => point * stepS * 1000,
    },
    plots,
    omitted: Math.max(0, program.length - kMaxProgramPlots),
  };
}

// Of all jobs, each value once.
export function programSources(grids: readonly MetricGrid[]): PlotSource[] {
  const byId = new Map(
    grids.flatMap(programPlots).map((source) => [source.id, source]),
  );
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function programValues(
  grid: MetricGrid,
  source: PlotSource,
): readonly (readonly number[])[] {
  return source.lines.flatMap(({ name, isRate }) =>
    seriesOf(grid, name, isRate),
  );
}

function sourceOf(id: string): PlotSource | undefined {
  return [...gpuPlots(kManyGpus), ...kJobPlots].find((each) => each.id === id);
}

function seriesOf(
  grid: MetricGrid,
  name: string,
  isRate: boolean | undefined,
): readonly (readonly number[])[] {
  return ofJob(grid.named(name))
    .map(({ values }) => (isRate ? ratesOf(values, grid.stepS) : values))
    .filter((values) => values.some(isKnown));
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}
