// Loads what a summary shows, in requests of bounded size.
import { Code } from "@connectrpc/connect";
import type { JobSummary } from "#proto/findings";
import {
  type GetUsageResponse,
  type HistoryJob,
  type ListHistoryResponse,
  UsageBy,
} from "#proto/history";
import { failureOf, isSessionEnd } from "../../api/failure";
import { type JobSums, jobSums } from "./job_sums";
import { messages } from "#messages/summary";

export interface Summary {
  readonly byGpuType: GetUsageResponse;
  readonly byUser: GetUsageResponse;
  readonly sums: JobSums;
  readonly noMetrics: string; // why; empty: they are known
  readonly read: number; // jobs that ended in the period
  readonly isPart: boolean; // there are more of them
}

// The calls that it makes.
export interface SummarySource {
  usage(by: UsageBy): Promise<GetUsageResponse>;
  jobs(pageToken: string): Promise<ListHistoryResponse>;
  summarize(ids: string[]): Promise<readonly JobSummary[]>;
}

const kMaxPages = 25;
const kMaxIds = 100; // of SummarizeJobs

export async function loadSummary(source: SummarySource): Promise<Summary> {
  const [byGpuType, byUser, measured] = await Promise.all([
    source.usage(UsageBy.GPU_TYPE),
    source.usage(UsageBy.USER),
    loadMeasuredJobs(source),
  ]);
  const { jobs, summaries, noMetrics, isPart } = measured;
  return {
    byGpuType,
    byUser,
    sums: jobSums(jobs, summaries),
    noMetrics,
    read: jobs.length,
    isPart,
  };
}

// Ended jobs and what is kept of their metrics.
export interface MeasuredJobs {
  readonly jobs: readonly HistoryJob[]; // the newest
  readonly summaries: readonly JobSummary[];
  readonly noMetrics: string; // why; empty: they are known
  readonly isPart: boolean; // there are more jobs
}

export async function loadMeasuredJobs(
  source: Pick<SummarySource, "jobs" | "summarize">,
): Promise<MeasuredJobs> {
  const { all, isPart } = await loadJobs(source);
  const ids = all
    .filter(({ startedAt }) => startedAt !== undefined)
    .map(({ id }) => id);
  const { summaries, reason } = await summariesOf(ids, source);
  return { jobs: all, summaries, noMetrics: reason, isPart };
}

async function loadJobs(
  source: Pick<SummarySource, "jobs">,
): Promise<{ all: HistoryJob[]; isPart: boolean }> {
  const all: HistoryJob[] = [];
  let token = "";
  for (let page = 0; page < kMaxPages; page++) {
    const response = await source.jobs(token);
    all.push(...response.jobs);
    token = response.nextPageToken;
    if (!token) return { all, isPart: false };
  }
  return { all, isPart: true };
}

// One request after the other: the server reads a file for each job.
async function summariesOf(
  ids: readonly string[],
  source: Pick<SummarySource, "summarize">,
): Promise<{ summaries: JobSummary[]; reason: string }> {
  const summaries: JobSummary[] = [];
  try {
    for (let at = 0; at < ids.length; at += kMaxIds) {
      const some = await source.summarize(ids.slice(at, at + kMaxIds));
      summaries.push(...some);
    }
    return { summaries, reason: "" };
  } catch (error) {
    const failure = failureOf(error);
    if (isSessionEnd(failure)) throw error;
    const isOff = failure.code === Code.FailedPrecondition;
    return {
      summaries: [], // a part of them could be taken for all
      reason: isOff ? messages.notOffered : failure.sentence,
    };
  }
}
