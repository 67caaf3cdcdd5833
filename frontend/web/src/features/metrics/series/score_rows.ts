// The rows of a receipt's score: the job, its GPUs, ranks and phases.
import {
  type GpuUseRatings,
  type JobReceipt,
  type ScoreRow,
  ScoreRow_Phase,
  type ScoreSummary,
} from "#proto/findings";
import { formatSeconds } from "../../../lib/format/duration";
import { computeLabel, percentLabel, wattsLabel } from "./gpu_ratings";
import { formatValue } from "./units";
import { messages } from "#messages/metrics";

export interface ScoreTableRow {
  readonly label: string;
  readonly score: string;
  readonly median: string;
  readonly components: readonly string[]; // as kComponentHeads
  readonly ratings: readonly string[]; // as kRatingHeads
}

export interface ScoreGroup {
  readonly title: string;
  readonly rows: readonly ScoreTableRow[];
  readonly omitted: number;
}

export const kComponentHeads: readonly string[] = [
  messages.smActive,
  messages.smOccupancy,
  messages.flopActive,
  messages.tensorActive,
  messages.fp16Active,
  messages.fp32Active,
  messages.fp64Active,
];
export const kRatingHeads: readonly string[] = [
  messages.gpuUtilization,
  messages.ratedCompute,
  messages.gpuPower,
];

// Groups without rows are left out, as are the GPUs of a job with one.
export function scoreGroups(receipt: JobReceipt): ScoreGroup[] {
  const { score, ratings, report } = receipt;
  if (!score && !ratings) return [];
  const gpus = report?.gpus ?? [];
  const ranks = report?.ranks ?? [];
  const nodes = new Set([...gpus, ...ranks].map(({ node }) => node));
  const withNode = nodes.size > 1;
  const rows = (from: readonly ScoreRow[], label: (row: ScoreRow) => string) =>
    from.map((row) => rowOf(label(row), row.score, row.ratings));
  return [
    {
      title: messages.wholeJob,
      rows: [rowOf(messages.wholeJob, score, ratings)],
      omitted: 0,
    },
    {
      title: messages.sectionGpus,
      rows: gpus.length > 1 ? rows(gpus, (row) => gpuLabel(row, withNode)) : [],
      omitted: report?.omittedGpus ?? 0,
    },
    {
      title: messages.scoreRanks,
      rows: rows(ranks, (row) => rankLabel(row, withNode)),
      omitted: report?.omittedRanks ?? 0,
    },
    {
      title: messages.scorePhases,
      rows: rows(report?.phases ?? [], phaseLabel),
      omitted: 0,
    },
  ].filter(({ rows: { length } }) => length > 0);
}

// "12 % (poor)", of the time since the GPUs were first in use; empty: not known.
export function startLabel(ratings: GpuUseRatings | undefined): string {
  return ratings?.start ? percentLabel(ratings.start) : "";
}

function rowOf(
  label: string,
  score: ScoreSummary | undefined,
  ratings: GpuUseRatings | undefined,
): ScoreTableRow {
  const parts = score?.components;
  const ratio = (value: number | undefined) =>
    value === undefined ? messages.noPart : formatValue("ratio", value);
  // Never the number without what it is made of.
  const number = (value: number | undefined) =>
    value === undefined || !parts
      ? messages.noPart
      : formatValue("score", value);
  return {
    label,
    score: number(score?.mean),
    median: number(score?.median),
    components: [
      parts?.smActive,
      parts?.smOccupancy,
      parts?.flopActive,
      parts?.tensorActive,
      parts?.fp16Active,
      parts?.fp32Active,
      parts?.fp64Active,
    ].map(ratio),
    ratings: [
      ratings?.utilization && percentLabel(ratings.utilization),
      ratings?.compute && computeLabel(ratings.compute),
      ratings?.power && wattsLabel(ratings.power),
    ].map((text) => text ?? messages.noPart),
  };
}

function gpuLabel({ node, gpus }: ScoreRow, withNode: boolean): string {
  return joined([
    ...gpus.map((id) => messages.gpu({ id })),
    withNode ? node : "",
  ]);
}

function rankLabel(row: ScoreRow, withNode: boolean): string {
  const { step, rank, isShared } = row;
  return joined([
    messages.rank({ rank }),
    step && messages.step({ step }),
    gpuLabel(row, withNode),
    isShared ? messages.sharedGpu : "",
  ]);
}

function phaseLabel({ phase, phaseName, lengthS }: ScoreRow): string {
  const name =
    phase === ScoreRow_Phase.BEFORE_FIRST_STEP
      ? messages.beforeFirstStep
      : phase === ScoreRow_Phase.FROM_FIRST_STEP
        ? messages.fromFirstStep
        : phaseName;
  return joined([name, formatSeconds(Number(lengthS))]);
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join(" · ");
}
