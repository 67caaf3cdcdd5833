// What is known of some jobs, as rows of one table: a cell for each job, with the
// difference to the first one.
import type { HistoryJob } from "#proto/history";
import { type Job, JobState } from "#proto/jobs";
import { formatMinutes, formatRunTime } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { formatMoment, msOf } from "../../lib/format/moment";
import { formatMeasured } from "../../lib/format/number";
import { labelOfUse, unitOfUse } from "../findings/receipt_rows";
import { hoursOf } from "../insights/history/history_labels";
import { endLabel, stateLabel } from "../jobs/job_labels";
import { kPipes, kSmOccupancy } from "../metrics/series/plot_catalog";
import { scoreRows } from "../metrics/series/saturation_series";
import { formatValue, type Unit } from "../metrics/series/units";
import { combined, lastOf, meanOf } from "./combined_series";
import { type ComparedJob, spanOf } from "./compared_job";
import { type Better, type Difference, differenceOf } from "./difference";
import { programSources, programValues } from "./overlaid_plots";
import { messages } from "#messages/comparison";

export interface Cell {
  readonly text: string; // empty: not known
  readonly difference: Difference | undefined; // to the first job
}

export interface ComparisonRow {
  readonly id: string; // unique
  readonly label: string;
  readonly cells: readonly Cell[]; // one for each job
  readonly isCode: boolean;
}

export interface ComparisonGroup {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly ComparisonRow[];
}

// Groups and rows of which nothing is known are left out.
export function comparisonGroups(
  jobs: readonly ComparedJob[],
  projectName: (id: string) => string,
  now: number,
): ComparisonGroup[] {
  const groups = [
    {
      id: "requested",
      title: messages.requested,
      rows: requestedRows(jobs, projectName),
    },
    { id: "times", title: messages.times, rows: timeRows(jobs, now) },
    { id: "use", title: messages.use, rows: resourceRows(jobs) },
    { id: "score", title: messages.score, rows: scoreValueRows(jobs) },
    { id: "program", title: messages.program, rows: programRows(jobs) },
  ];
  return groups
    .map((group) => ({
      ...group,
      rows: group.rows.filter(({ cells }) =>
        cells.some(({ text }) => text !== ""),
      ),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function textRow(
  id: string,
  label: string,
  texts: readonly string[],
  isCode = false,
): ComparisonRow {
  const cells = texts.map((text) => ({ text, difference: undefined }));
  return { id, label, cells, isCode };
}

function numberRow(
  id: string,
  label: string,
  values: readonly (number | undefined)[],
  format: (value: number) => string,
  {
    better,
    negligible,
    formatDifference = format,
  }: {
    better?: Better;
    negligible?: number;
    formatDifference?: (amount: number) => string;
  } = {},
): ComparisonRow {
  const cells = values.map((value, at) => ({
    text: value === undefined ? "" : format(value),
    difference:
      at === 0
        ? undefined
        : differenceOf(values[0], value, formatDifference, better, negligible),
  }));
  return { id, label, cells, isCode: false };
}

// The difference of shares is in percentage points.
function unitRow(
  id: string,
  label: string,
  values: readonly (number | undefined)[],
  unit: Unit,
  better?: Better,
): ComparisonRow {
  return numberRow(id, label, values, (value) => formatValue(unit, value), {
    better,
    formatDifference: (amount) =>
      unit === "ratio"
        ? messages.percentagePoints({
            value: formatValue("number", amount * 100),
          })
        : formatValue(unit, amount),
  });
}

function requestedRows(
  jobs: readonly ComparedJob[],
  projectName: (id: string) => string,
): ComparisonRow[] {
  const spec = <T>(of: (spec: NonNullable<Job["spec"]>) => T) =>
    jobs.map(({ job }) => job.spec && of(job.spec));
  const texts = (of: (spec: NonNullable<Job["spec"]>) => string) =>
    spec(of).map((text) => text ?? "");
  const positive = (value: number) => (value > 0 ? value : undefined);
  const isSame = (all: readonly string[]) => new Set(all).size === 1;
  const code = (id: string, label: string, all: readonly string[]) =>
    isSame(all) ? [] : [textRow(id, label, all, true)];
  return [
    numberRow(
      "nodes",
      messages.nodes,
      spec(({ nodes }) => positive(nodes)),
      String,
    ),
    numberRow(
      "gpus",
      messages.gpusPerNode,
      spec(({ gpusPerNode }) => gpusPerNode),
      String,
    ),
    textRow(
      "gpu-type",
      messages.gpuType,
      jobs.map(({ job, history }) => typeOf(job, history)),
    ),
    numberRow(
      "cpus",
      messages.cpusPerNode,
      spec(({ cpusPerNode }) => positive(cpusPerNode)),
      String,
    ),
    numberRow(
      "memory-limit",
      messages.memoryPerNode,
      spec(({ memoryPerNodeMib }) => positive(Number(memoryPerNodeMib))),
      formatMib,
    ),
    numberRow(
      "time-limit",
      messages.walltime,
      spec(({ walltime }) =>
        positive(Math.round(Number(walltime?.seconds ?? 0n) / 60)),
      ),
      formatMinutes,
    ),
    textRow(
      "partition",
      messages.partition,
      texts(({ partition }) => partition),
    ),
    textRow(
      "image",
      messages.image,
      texts(({ image }) => image),
    ),
    textRow(
      "environment",
      messages.environment,
      texts(({ environment }) => environment),
    ),
    textRow(
      "project",
      messages.project,
      texts(({ project }) => project && projectName(project)),
    ),
    ...code(
      "command",
      messages.command,
      texts(({ batch }) => batch?.command || batch?.script || ""),
    ),
    ...code(
      "arguments",
      messages.arguments,
      texts(({ batch }) => (batch?.arguments ?? []).join("\n")),
    ),
  ];
}

function typeOf({ spec }: Job, history: HistoryJob | undefined): string {
  if (!spec || spec.gpusPerNode === 0) return "";
  return (history?.gpuType || spec.gpuType).replaceAll(",", ", ");
}

// The scheduler decides shorter ones by chance.
const kShortWaitMs = 10_000;

function timeRows(jobs: readonly ComparedJob[], now: number): ComparisonRow[] {
  const moments = (of: (job: Job) => number | undefined) =>
    jobs.map(({ job }) => {
      const ms = of(job);
      return ms === undefined ? "" : formatMoment(ms, now);
    });
  const isEnded = (job: Job) => job.state === JobState.ENDED;
  const seconds = (of: (history: HistoryJob) => bigint) =>
    jobs.map(({ history }) => history && Number(of(history)));
  const hours = (value: number) =>
    messages.hours({ hours: hoursOf(BigInt(Math.round(value))) });
  const exactHours = (value: number) =>
    messages.hours({ hours: formatValue("number", value / 3600) });
  return [
    textRow(
      "outcome",
      messages.outcome,
      jobs.map(({ job }) =>
        isEnded(job) ? endLabel(job) : stateLabel(job).label,
      ),
    ),
    textRow(
      "submitted",
      messages.submitted,
      moments(({ createdAt }) => msOf(createdAt)),
    ),
    textRow(
      "started",
      messages.started,
      moments(({ startedAt }) => msOf(startedAt)),
    ),
    textRow(
      "ended",
      messages.ended,
      moments((job) => (isEnded(job) ? msOf(job.endsAt) : undefined)),
    ),
    numberRow(
      "queued",
      messages.queued,
      jobs.map(({ job }) => queuedMs(job)),
      formatRunTime,
      { better: "less", negligible: kShortWaitMs },
    ),
    numberRow(
      "ran",
      messages.duration,
      jobs.map(({ job }) => {
        const span = spanOf(job, now);
        return span && wholeSeconds(span.endMs - span.startMs);
      }),
      formatRunTime,
    ),
    numberRow(
      "gpu-time",
      messages.gpuTime,
      seconds(({ gpuSeconds }) => gpuSeconds),
      hours,
      { formatDifference: exactHours },
    ),
    numberRow(
      "cpu-time",
      messages.cpuTime,
      seconds(({ cpuSeconds }) => cpuSeconds),
      hours,
      { formatDifference: exactHours },
    ),
  ];
}

function queuedMs({ createdAt, startedAt }: Job): number | undefined {
  const [created, started] = [msOf(createdAt), msOf(startedAt)];
  if (created === undefined || started === undefined) return undefined;
  return wholeSeconds(started - created);
}

// As they are shown.
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000) * 1000);
}

// Of these more is better for any job, as GPUs are held for the job alone.
const kMoreIsBetter: ReadonlySet<string> = new Set([
  "carme_gpu_utilization_ratio",
  "carme_gpu_sm_active_ratio",
  "carme_gpu_tensor_active_ratio",
]);

function resourceRows(jobs: readonly ComparedJob[]): ComparisonRow[] {
  const names = new Set(
    jobs.flatMap(({ receipt }) =>
      (receipt?.used ?? []).map(({ series }) => series),
    ),
  );
  const rows = [...names].flatMap((name) => {
    const uses = jobs.map(({ receipt }) =>
      receipt?.used.find(({ series }) => series === name),
    );
    const better = kMoreIsBetter.has(name) ? "more" : undefined;
    const unit = unitOfUse(name);
    const label = (statistic: string) =>
      messages.quantity({ what: labelOfUse(name), statistic });
    const row = (
      id: string,
      statistic: string,
      of: (use: NonNullable<(typeof uses)[number]>) => number,
      isBetter?: Better,
    ) =>
      unitRow(
        `${name}-${id}`,
        label(statistic),
        uses.map((use) => use && of(use)),
        unit,
        isBetter,
      );
    return [
      row("mean", messages.mean, ({ mean }) => mean, better),
      row("median", messages.median, ({ median }) => median, better),
      row("q90", messages.quantile90, ({ quantile90 }) => quantile90),
      row("q99", messages.quantile99, ({ quantile99 }) => quantile99),
      row("peak", messages.peak, ({ peak }) => peak),
    ];
  });
  const energy = numberRow(
    "energy",
    messages.energy,
    jobs.map(({ receipt }) => receipt?.energyJoules || undefined),
    (joules) =>
      messages.kilowattHours({ amount: formatMeasured(joules / 3.6e6) }),
  );
  return [...rows, energy];
}

function scoreValueRows(jobs: readonly ComparedJob[]): ComparisonRow[] {
  const scores = jobs.map(({ receipt }) => receipt?.score);
  const parts = jobs.map(({ grid }) =>
    grid ? scoreRows(grid, 0, grid.length) : [],
  );
  const score = (
    id: string,
    label: string,
    of: (score: NonNullable<(typeof scores)[number]>) => number,
    better?: Better,
  ) =>
    unitRow(
      `score-${id}`,
      label,
      scores.map((each) => each && of(each)),
      "score",
      better,
    );
  return [
    score("mean", messages.mean, ({ mean }) => mean, "more"),
    score("median", messages.median, ({ median }) => median, "more"),
    score("minimum", messages.minimum, ({ min }) => min),
    score("maximum", messages.maximum, ({ max }) => max),
    unitRow(
      "score-sm-active",
      messages.smActive,
      parts.map((rows) => meanOf(rows.map(({ smActive }) => smActive.mean))),
      "ratio",
    ),
    unitRow(
      kSmOccupancy,
      messages.smOccupancy,
      parts.map((rows) =>
        meanOf(rows.map(({ smOccupancy }) => smOccupancy.mean)),
      ),
      "ratio",
    ),
    ...kPipes.map(([name, label], at) =>
      unitRow(
        `score-${name}`,
        label,
        parts.map((rows) =>
          meanOf(rows.map(({ pipes }) => pipes[at]?.mean ?? Number.NaN)),
        ),
        "ratio",
      ),
    ),
  ];
}

const kMaxProgramValues = 12;

function programRows(jobs: readonly ComparedJob[]): ComparisonRow[] {
  const grids = jobs.flatMap(({ grid }) => grid ?? []);
  const sources = programSources(grids).slice(0, kMaxProgramValues);
  return sources.flatMap((source) => {
    const lines = jobs.map(({ grid }) =>
      grid ? combined(programValues(grid, source), "mean") : [],
    );
    const better = betterOfProgram(source.id);
    return [
      unitRow(
        `${source.id}-mean`,
        messages.quantity({ what: source.title, statistic: messages.mean }),
        lines.map(meanOf),
        source.unit,
        better,
      ),
      unitRow(
        `${source.id}-last`,
        messages.quantity({ what: source.title, statistic: messages.last }),
        lines.map(lastOf),
        source.unit,
        better,
      ),
    ];
  });
}

// A loss is minimised, a rate of the work is not.
function betterOfProgram(name: string): Better {
  if (/(^|_)loss(_|$)/.test(name)) return "less";
  return name.endsWith("_per_second") ? "more" : undefined;
}
