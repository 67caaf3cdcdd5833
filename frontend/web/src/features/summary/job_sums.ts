// Sums over the ended jobs of a period and what is kept of their metrics.
import { JobFinding_Severity, type JobSummary } from "#proto/findings";
import type { HistoryJob } from "#proto/history";
import { ruleTexts } from "../findings/rule_texts";

export interface JobSums {
  readonly ran: number; // jobs that started
  readonly measured: number; // of these, with a summary
  readonly meanScore: number | undefined; // weighted with GPU time
  readonly energyJoules: number | undefined;
  readonly foundShare: number | undefined; // of the GPU time of measured jobs
  readonly findings: readonly FoundSum[]; // the most frequent first
  readonly largest: readonly HistoryJob[];
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
