// The series of a job on one grid of times, as GetJobMetrics returns them. While
// the job runs, samples of the stream are added. NaN is a gap.
import type { GetJobMetricsResponse, MetricSeries } from "#proto/metrics";
import type { NodeSamples, SampleSeries } from "#proto/samples";

export interface GridSeries {
  readonly name: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly source: number; // an id of the sources of this node
  readonly values: number[]; // may be shorter than the grid
  lastMs: number; // of the newest sample
}

// Samples come every 5 s or less often. A sample counts for this time, as in
// GetJobMetrics.
const kShortestGapMs = 10_000;

// The times of a plot's points.
export interface TimeGrid {
  readonly fromMs: number;
  readonly stepS: number;
  readonly length: number;
  timeMs(point: number): number;
}

export class MetricGrid implements TimeGrid {
  private readonly byKey = new Map<string, GridSeries>();
  private readonly byName = new Map<string, GridSeries[]>();
  private points = 0;

  constructor(
    readonly fromMs: number,
    readonly stepS: number,
  ) {}

  get length(): number {
    return this.points;
  }

  series(): readonly GridSeries[] {
    return [...this.byKey.values()];
  }

  named(name: string): readonly GridSeries[] {
    return this.byName.get(name) ?? [];
  }

  timeMs(point: number): number {
    return this.fromMs + point * this.stepS * 1000;
  }

  // How many points a sample counts for.
  get heldPoints(): number {
    return Math.max(1, Math.floor(kShortestGapMs / (this.stepS * 1000)));
  }

  add(series: MetricSeries): void {
    const { name, node, labels, source, values } = series;
    let last = values.length - 1;
    while (last >= 0 && Number.isNaN(values[last])) last--;
    this.put({
      name,
      node,
      labels,
      source,
      values: values.slice(0, last + 1),
      lastMs: this.timeMs(last),
    });
    this.points = Math.max(this.points, last + 1);
  }

  // `series` is not there yet.
  private put(series: GridSeries): void {
    const { name, node, labels } = series;
    this.byKey.set(keyOf(name, node, labels), series);
    const same = this.byName.get(name);
    if (same) same.push(series);
    else this.byName.set(name, [series]);
  }

  // Samples older than the newest point of their series are ignored: the grid
  // has them.
  addSamples(node: NodeSamples): void {
    for (const series of node.series) this.addSeries(node.node, series);
  }

  private addSeries(node: string, sampled: SampleSeries): void {
    const series = this.seriesOf(node, sampled);
    let atMs = 0;
    sampled.values.forEach((value, index) => {
      atMs += Number(sampled.timesMs[index] ?? 0n);
      if (atMs > series.lastMs) this.addValue(series, atMs, value);
    });
    this.points = Math.max(this.points, series.values.length);
  }

  private addValue(series: GridSeries, atMs: number, value: number): void {
    const { values } = series;
    const point = Math.ceil((atMs - this.fromMs) / (this.stepS * 1000));
    if (point < 0) return;
    const held = values[values.length - 1] ?? Number.NaN;
    while (values.length < point) {
      const age = this.timeMs(values.length) - series.lastMs;
      values.push(age <= kShortestGapMs ? held : Number.NaN);
    }
    values[point] = value;
    series.lastMs = atMs;
  }

  private seriesOf(node: string, sampled: SampleSeries): GridSeries {
    const { name, labels, source } = sampled;
    const key = keyOf(name, node, labels);
    const known = this.byKey.get(key);
    if (known) return known;
    const added: GridSeries = {
      name,
      node,
      labels,
      source,
      values: [],
      lastMs: -Infinity,
    };
    this.put(added);
    return added;
  }
}

export function gridOf(response: GetJobMetricsResponse): MetricGrid {
  const grid = new MetricGrid(
    Number(response.fromMs),
    Math.max(1, response.stepS),
  );
  for (const series of response.series) grid.add(series);
  return grid;
}

// Identifies a series of a job.
export function keyOf(
  name: string,
  node: string,
  labels: Readonly<Record<string, string>>,
): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, node, pairs]);
}
