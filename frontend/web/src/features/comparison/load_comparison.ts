// Loads the jobs of a comparison.
import { Code } from "@connectrpc/connect";
import type { JobReceipt } from "#proto/findings";
import type { HistoryJob } from "#proto/history";
import type { Job } from "#proto/jobs";
import type { GetJobMetricsResponse } from "#proto/metrics";
import { failureOf, isSessionEnd } from "../../api/failure";
import { gridOf } from "../metrics/series/metric_grid";
import { stepFor } from "../metrics/series/steps";
import { type ComparedJob, letterOf, spanOf } from "./compared_job";
import { messages } from "#messages/comparison";

export interface Comparison {
  // Ids of jobs that do not exist, or that the user may not see. Then none is
  // compared.
  readonly missing: readonly string[];
  readonly jobs: readonly ComparedJob[];
}

interface FoundJob {
  readonly job: Job;
  readonly history: HistoryJob | undefined;
}

// The calls that it makes.
export interface ComparisonSource {
  find(id: string): Promise<FoundJob | undefined>;
  receipt(job: Job): Promise<JobReceipt | undefined>;
  metrics(job: Job, stepS: number): Promise<GetJobMetricsResponse>;
}

// What cannot be loaded of a job is said in its place; the end of the session is
// an error.
export async function loadComparison(
  ids: readonly string[],
  source: ComparisonSource,
  now: number,
): Promise<Comparison> {
  const found = await Promise.all(ids.map((id) => source.find(id)));
  const missing = ids.filter((_, at) => found[at] === undefined);
  if (missing.length > 0) return { missing, jobs: [] };
  const known = found.flatMap((each) => each ?? []);
  // Lines of one plot have the same steps.
  const stepS = Math.max(...known.map(({ job }) => stepOf(job, now)));
  const jobs = await Promise.all(
    known.map(async ({ job, history }, at) => ({
      letter: letterOf(at),
      job,
      history,
      ...(spanOf(job, now) ? await samplesOf(job, stepS, source) : kNotStarted),
    })),
  );
  return { missing, jobs };
}

type Samples = Pick<ComparedJob, "receipt" | "noReceipt" | "grid" | "noGrid">;

const kNotStarted: Samples = {
  receipt: undefined,
  noReceipt: messages.hasNotStarted,
  grid: undefined,
  noGrid: messages.hasNotStarted,
};

function stepOf(job: Job, now: number): number {
  const span = spanOf(job, now);
  const gpus = (job.spec?.nodes ?? 0) * (job.spec?.gpusPerNode ?? 0);
  return stepFor(span ? span.endMs - span.startMs : 0, gpus);
}

async function samplesOf(
  job: Job,
  stepS: number,
  source: ComparisonSource,
): Promise<Samples> {
  const [receipt, metrics] = await Promise.all([
    attempt(() => source.receipt(job)),
    attempt(() => source.metrics(job, stepS)),
  ]);
  const hasUse = receipt.value !== undefined && receipt.value.used.length > 0;
  const grid = metrics.value && gridOf(metrics.value);
  const hasSeries = grid !== undefined && grid.length > 0;
  const problem = metrics.value?.problem ?? "";
  return {
    receipt: hasUse ? receipt.value : undefined,
    noReceipt: hasUse ? "" : receipt.reason || messages.noSamples,
    grid: hasSeries ? grid : undefined,
    noGrid: hasSeries ? "" : metrics.reason || problem || messages.noSamples,
  };
}

async function attempt<T>(
  call: () => Promise<T>,
): Promise<{ value: T | undefined; reason: string }> {
  try {
    return { value: await call(), reason: "" };
  } catch (error) {
    const failure = failureOf(error);
    if (isSessionEnd(failure)) throw error;
    return { value: undefined, reason: reasonOf(failure) };
  }
}

function reasonOf({ code, sentence }: ReturnType<typeof failureOf>): string {
  if (code === Code.NotFound) return messages.noSamples;
  return code === Code.FailedPrecondition ? messages.notOffered : sentence;
}
