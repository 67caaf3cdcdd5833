// The plots of a job's series: rates, names of lines, limits. A plot without a
// value does not exist.
import type { GridSeries, MetricGrid } from "./metric_grid";
import {
  gpuPlots,
  kCpuTotal,
  kJobPlots,
  kRankInfo,
  kSaturation,
  type LineSource,
  type PlotSource,
  type Section,
} from "./plot_catalog";
import { ratesOf } from "./rates";
import { gpuKey, scoreOf } from "./saturation_series";
import { type Unit, unitOfName } from "./units";
import { messages } from "#messages/metrics";

export interface PlotLine {
  readonly key: string; // unique in the plot
  readonly label: string;
  readonly values: readonly number[]; // one a point of the grid; NaN: a gap
  readonly isLimit: boolean;
}

export interface Plot {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  readonly unit: Unit;
  readonly about: string;
  readonly lines: readonly PlotLine[];
  readonly omitted: number; // lines with the smallest values
  readonly isHeatMap: boolean; // a row for each line
}

// What was requested for each node; 0: unknown.
export interface RequestedSize {
  readonly cpusPerNode: number;
}

const kMaxLines = 10;
const kMaxGpus = 8; // more are rows of a heat map
const kMaxGpuLines = 3 * kMaxGpus;
const kMemoryFree = "carme_gpu_memory_free_bytes"; // what is not in use
const kGpu = "carme_gpu_";
const kProgram = "carme_program_";
const kRejected = "carme_program_rejected_lines_total";

export function plotsOf(grid: MetricGrid, size: RequestedSize): Plot[] {
  const gpus = new Set(
    grid
      .series()
      .filter(({ name }) => name.startsWith(kGpu))
      .map(gpuKey),
  ).size;
  const known = [...gpuPlots(gpus), ...kJobPlots];
  const sources = [
    ...known,
    ...programPlots(grid),
    ...otherGpuPlots(grid, known),
  ];
  const context = { grid, manyNodes: nodesOf(grid).length > 1, gpus };
  const plots = sources.map((source) => plotOf(source, context, size));
  const score = scorePlot(context);
  return [...(score ? [score] : []), ...plots].filter(
    ({ lines }) => lines.length > 0,
  );
}

export function nodesOf(grid: MetricGrid): string[] {
  return [...new Set(grid.series().map(({ node }) => node))].sort();
}

interface Context {
  readonly grid: MetricGrid;
  readonly manyNodes: boolean;
  readonly gpus: number;
}

function plotOf(
  source: PlotSource,
  context: Context,
  size: RequestedSize,
): Plot {
  const { id, title, section, unit, about = "" } = source;
  const isOnly = source.lines.length === 1;
  const lines = source.lines.flatMap((line) =>
    ofJob(context.grid.named(line.name)).map((series) =>
      lineOf(series, line, isOnly, context),
    ),
  );
  const shown = lines.filter(({ values }) => values.some(isKnown));
  const [only] = shown;
  if (section === "program" && only && shown.length === 1) {
    shown[0] = { ...only, label: source.lines[0]?.what ?? only.label };
  }
  if (shown.length > 0 && source.lines[0]?.name === kCpuTotal) {
    shown.push(...cpuLimit(context.grid, size));
  }
  return {
    id,
    title,
    section,
    unit,
    about,
    ...cut(shown, section, context.gpus),
  };
}

// Sums of the job; series of its steps only if there is no sum.
export function ofJob(series: readonly GridSeries[]): readonly GridSeries[] {
  const isSum = ({ name, labels }: GridSeries) =>
    !name.startsWith("carme_job_") || labels["step"] === undefined;
  const visible = series.filter(({ labels }) => labels["device"] !== "lo");
  const sums = visible.filter(isSum);
  return sums.length > 0 ? sums : visible;
}

function lineOf(
  series: GridSeries,
  line: LineSource,
  isOnly: boolean,
  { grid, manyNodes }: Context,
): PlotLine {
  const what = isOnly ? "" : line.what;
  return {
    key: `${line.name} ${series.node} ${JSON.stringify(series.labels)}`,
    label: labelOf(series, what, manyNodes) || line.what || messages.job,
    values: filled(
      line.isRate ? ratesOf(series.values, grid.stepS) : series.values,
      grid,
    ),
    isLimit: line.isLimit ?? false,
  };
}

// The newest value counts until the next one is due.
function filled(values: readonly number[], grid: MetricGrid): number[] {
  const full = values.slice();
  const held = full[full.length - 1] ?? Number.NaN;
  const heldTo = full.length + grid.heldPoints;
  while (full.length < grid.length) {
    full.push(full.length < heldTo ? held : Number.NaN);
  }
  return full;
}

function cpuLimit(grid: MetricGrid, { cpusPerNode }: RequestedSize) {
  if (cpusPerNode === 0) return [];
  const values = new Array<number>(grid.length).fill(cpusPerNode);
  return [{ key: "limit", label: messages.limit, values, isLimit: true }];
}

function cut(all: readonly PlotLine[], section: Section, gpus: number) {
  const isGpu = section === "gpu";
  const max = isGpu ? kMaxGpuLines : kMaxLines;
  const lines = all.filter(({ isLimit }) => !isLimit);
  if (isGpu && gpus > kMaxGpus && lines.length > 0) {
    return { lines, omitted: 0, isHeatMap: true };
  }
  const largest = [...lines]
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, max);
  return {
    lines: [
      ...lines.filter((line) => largest.includes(line)),
      ...limitsOf(all.filter(({ isLimit }) => isLimit)),
    ],
    omitted: Math.max(0, lines.length - max),
    isHeatMap: false,
  };
}

// Limits that are all the same are one line.
function limitsOf(limits: readonly PlotLine[]): readonly PlotLine[] {
  const [first] = limits;
  if (!first) return limits;
  const newest = new Set(
    limits.map(({ values }) => values.filter(isKnown).pop()),
  );
  return newest.size > 1 ? limits : [{ ...first, label: messages.limit }];
}

function weightOf({ values }: PlotLine): number {
  return values.reduce((sum, value) => (isKnown(value) ? sum + value : sum), 0);
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

const kResources: Readonly<Record<string, string>> = {
  cpu: messages.resourceCpu,
  memory: messages.resourceMemory,
  io: messages.resourceIo,
};

// "read · nvme0n1 · n2".
function labelOf(series: GridSeries, what: string, withNode: boolean): string {
  // The index is enough to tell a job's GPUs apart.
  const { gpu, uuid: _, model: __, ...labels } = series.labels;
  const { rank, step, resource, device, mount, type, ...others } = labels;
  const parts = [
    what,
    gpu !== undefined && messages.gpu({ id: gpu }),
    rank !== undefined && messages.rank({ rank }),
    step !== undefined && messages.step({ step }),
    resource !== undefined && (kResources[resource] ?? resource),
    device,
    mount ?? type,
    ...Object.entries(others).map(([name, value]) => `${name} ${value}`),
    withNode && series.node,
  ];
  return parts.filter(Boolean).join(" · ");
}

// A plot for each value that the program reports.
export function programPlots(grid: MetricGrid): PlotSource[] {
  const names = new Set(
    grid
      .series()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(kProgram) && name !== kRejected),
  );
  return [...names].sort().map((name) => {
    const { unit, isRate } = unitOfName(name);
    const title = name.slice(kProgram.length).replace(/_total$/, "");
    return {
      id: name,
      title: isRate ? messages.perSecond({ what: title }) : title,
      section: "program",
      unit,
      lines: [{ name, what: title, isRate }],
    };
  });
}

// Series of GPUs that the catalog does not know.
function otherGpuPlots(
  grid: MetricGrid,
  known: readonly PlotSource[],
): PlotSource[] {
  const used = new Set(
    known.flatMap(({ lines }) => lines.map(({ name }) => name)),
  )
    .add(kSaturation)
    .add(kRankInfo)
    .add(kMemoryFree);
  const names = new Set(
    grid
      .series()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(kGpu) && !used.has(name)),
  );
  return [...names].sort().map((name) => {
    const { unit, isRate } = unitOfName(name);
    const title = name.slice(kGpu.length).replaceAll("_", " ");
    return {
      id: name,
      title: messages.gpuOther({ what: title }),
      section: "gpu",
      unit,
      lines: [{ name, what: "", isRate }],
    };
  });
}

function scorePlot(context: Context): Plot | undefined {
  const lines = scoreOf(context.grid).map(({ series, scores }) => ({
    key: gpuKey(series),
    label: labelOf(series, "", context.manyNodes),
    values: filled(scores, context.grid),
    isLimit: false,
  }));
  const shown = lines.filter(({ values }) => values.some(isKnown));
  if (shown.length === 0) return undefined;
  return {
    id: "gpu-saturation",
    title: messages.saturationScore,
    section: "gpu",
    unit: "score",
    about: messages.saturationAbout,
    ...cut(shown, "gpu", context.gpus),
  };
}
