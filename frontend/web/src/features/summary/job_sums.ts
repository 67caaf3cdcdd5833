// Sums over the ended jobs of a period and what is kept of their metrics.
import {
  JobFinding_Severity,
  type JobSummary,
  type ScoreComponents,
} from "#proto/findings";
import type { HistoryJob } from "#proto/history";
import { ruleTexts } from "../findings/rule_texts";

export interface JobSums {
  readonly ran: number; // jobs that started
  readonly measured: number; // of these, with a summary
  readonly meanScore: number | undefined; // weighted with GPU time
  readonly components: ScoreParts | undefined; // of the same jobs
  readonly ratings: UseMeans; // of jobs that have them
  readonly energyJoules: number | undefined;
  readonly foundShare: number | undefined; // of the GPU time of measured jobs
  readonly findings: readonly FoundSum[]; // the most frequent first
  readonly largest: readonly HistoryJob[];
}

// Weighted with GPU time, as the score.
export interface ScoreParts {
  readonly smActive: number;
  readonly smOccupancy: number;
  readonly flopActive: number;
}

// The same; undefined: not known.
export interface UseMeans {
  readonly utilization: number | undefined; // percent
  readonly compute: number | undefined; // sum of the pipes
  readonly powerShare: number | undefined; // of the boards' limits
}

export interface FoundSum {
  readonly rule: string;
  readonly title: string;
  readonly jobs: number;
  readonly gpuSeconds: number;
}

const kMaxLargest = 10;
const kMaxFindings = 10;

export function jobSums(
  jobs: readonly HistoryJob[],
  summaries: readonly JobSummary[],
): JobSums {
  const ran = jobs.filter(({ startedAt }) => startedAt !== undefined);
  const byId = new Map(summaries.map((summary) => [summary.jobId, summary]));
  const measured = ran.flatMap((job) => {
    const summary = byId.get(job.id);
    return summary ? [{ summary, gpuSeconds: Number(job.gpuSeconds) }] : [];
  });
  const scored = measured.filter(({ summary }) => summary.score);
  const energies = measured.filter(({ summary }) => summary.energyJoules > 0);
  const found = measured.filter(
    ({ summary }) => summary.found.some(isProblem) && summary,
  );
  return {
    ran: ran.length,
    measured: measured.length,
    meanScore: ratio(
      sum(
        scored.map(
          ({ summary, gpuSeconds }) => (summary.score?.mean ?? 0) * gpuSeconds,
        ),
      ),
      gpuTime(scored),
    ),
    components: componentsOf(scored),
    ratings: {
      utilization: weighted(
        measured,
        ({ ratings }) => ratings?.utilization?.value,
      ),
      compute: weighted(measured, ({ ratings }) => ratings?.compute?.value),
      powerShare: weighted(
        measured,
        ({ ratings }) =>
          ratings?.power &&
          ratings.powerLimitWatts &&
          ratings.power.value / ratings.powerLimitWatts,
      ),
    },
    energyJoules:
      energies.length > 0
        ? sum(energies.map(({ summary }) => summary.energyJoules))
        : undefined,
    foundShare: ratio(gpuTime(found), gpuTime(measured)),
    findings: findingSums(measured),
    largest: largestOf(ran),
  };
}

interface Measured {
  readonly summary: JobSummary;
  readonly gpuSeconds: number;
}

// undefined if a job that has a score has none.
function componentsOf(scored: readonly Measured[]): ScoreParts | undefined {
  if (scored.some(({ summary }) => !summary.score?.components)) {
    return undefined;
  }
  const mean = (of: (parts: ScoreComponents) => number) =>
    weighted(scored, ({ score }) => score?.components && of(score.components));
  const smActive = mean((parts) => parts.smActive);
  const smOccupancy = mean((parts) => parts.smOccupancy);
  const flopActive = mean((parts) => parts.flopActive);
  if (
    smActive === undefined ||
    smOccupancy === undefined ||
    flopActive === undefined
  ) {
    return undefined;
  }
  return { smActive, smOccupancy, flopActive };
}

function weighted(
  measured: readonly Measured[],
  of: (summary: JobSummary) => number | undefined,
): number | undefined {
  const known = measured.flatMap(({ summary, gpuSeconds }) => {
    const value = of(summary);
    return value === undefined ? [] : [{ value, gpuSeconds }];
  });
  return ratio(
    sum(known.map(({ value, gpuSeconds }) => value * gpuSeconds)),
    sum(known.map(({ gpuSeconds }) => gpuSeconds)),
  );
}

function findingSums(measured: readonly Measured[]): FoundSum[] {
  const sums = new Map<string, FoundSum>();
  for (const { summary, gpuSeconds } of measured) {
    for (const found of summary.found.filter(isProblem)) {
      const { rule } = found;
      const old = sums.get(rule);
      sums.set(rule, {
        rule,
        title: ruleTexts(found).title,
        jobs: (old?.jobs ?? 0) + 1,
        gpuSeconds: (old?.gpuSeconds ?? 0) + gpuSeconds,
      });
    }
  }
  return [...sums.values()]
    .sort((a, b) => b.jobs - a.jobs || b.gpuSeconds - a.gpuSeconds)
    .slice(0, kMaxFindings);
}

function isProblem({ severity }: { severity: JobFinding_Severity }): boolean {
  return severity >= JobFinding_Severity.WARNING;
}

function largestOf(ran: readonly HistoryJob[]): HistoryJob[] {
  return [...ran]
    .sort(
      (a, b) =>
        Number(b.gpuSeconds - a.gpuSeconds) ||
        Number(b.cpuSeconds - a.cpuSeconds),
    )
    .slice(0, kMaxLargest);
}

function gpuTime(measured: readonly Measured[]): number {
  return sum(measured.map(({ gpuSeconds }) => gpuSeconds));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
