// Which jobs, users and projects held GPUs without using them, and on which nodes
// GPUs were throttled: of ended jobs with samples.
import type { JobSummary } from "#proto/findings";
import type { HistoryJob } from "#proto/history";

export interface GpuUseSums {
  readonly jobs: readonly UnusedGpus[]; // the largest first, as the next
  readonly users: readonly UnusedGpus[];
  readonly projects: readonly UnusedGpus[];
  readonly nodes: readonly ThrottlingNode[];
  readonly withGpus: number; // jobs that ran with GPUs
  readonly measured: number; // of these, those whose use is known
}

export interface UnusedGpus {
  readonly key: string; // a job's id, a username, a project's id (empty: none)
  readonly job?: HistoryJob;
  readonly gpuSeconds: number;
  readonly unusedSeconds: number; // GPU time without utilisation
}

export interface ThrottlingNode {
  readonly node: string;
  readonly jobs: number;
  readonly titles: readonly string[]; // of the rules that held
}

const kMaxRows = 20;
// Names of the site's default rules.
const kThrottling: ReadonlySet<string> = new Set([
  "gpu-too-hot",
  "gpu-power-brake",
]);

export function gpuUseSums(
  jobs: readonly HistoryJob[],
  summaries: readonly JobSummary[],
): GpuUseSums {
  const byId = new Map(summaries.map((summary) => [summary.jobId, summary]));
  const withGpus = jobs.filter(({ gpuSeconds }) => gpuSeconds > 0n);
  const measured = withGpus.flatMap((job) => {
    const use = byId.get(job.id)?.gpuUseMean;
    if (use === undefined) return [];
    const gpuSeconds = Number(job.gpuSeconds);
    const unusedSeconds = gpuSeconds * (1 - Math.min(1, Math.max(0, use)));
    return [{ key: job.id, job, gpuSeconds, unusedSeconds }];
  });
  return {
    jobs: largest(measured),
    users: largest(grouped(measured, ({ username }) => username)),
    projects: largest(grouped(measured, ({ spec }) => spec?.project ?? "")),
    nodes: throttlingNodes(summaries, new Map(jobs.map((j) => [j.id, j]))),
    withGpus: withGpus.length,
    measured: measured.length,
  };
}

function grouped(
  measured: readonly (UnusedGpus & { readonly job: HistoryJob })[],
  keyOf: (job: HistoryJob) => string,
): UnusedGpus[] {
  const groups = new Map<string, UnusedGpus>();
  for (const { job, gpuSeconds, unusedSeconds } of measured) {
    const key = keyOf(job);
    const old = groups.get(key);
    groups.set(key, {
      key,
      gpuSeconds: gpuSeconds + (old?.gpuSeconds ?? 0),
      unusedSeconds: unusedSeconds + (old?.unusedSeconds ?? 0),
    });
  }
  return [...groups.values()];
}

function largest(rows: readonly UnusedGpus[]): UnusedGpus[] {
  return rows
    .filter(({ unusedSeconds }) => unusedSeconds > 0)
    .sort((a, b) => b.unusedSeconds - a.unusedSeconds)
    .slice(0, kMaxRows);
}

// A finding without a node is of the only node of its job.
function throttlingNodes(
  summaries: readonly JobSummary[],
  jobs: ReadonlyMap<string, HistoryJob>,
): ThrottlingNode[] {
  const nodes = new Map<string, { jobs: Set<string>; titles: Set<string> }>();
  for (const { jobId, found } of summaries) {
    const own = jobs.get(jobId)?.nodes ?? [];
    for (const rule of found.filter((one) => kThrottling.has(one.rule))) {
      const named = rule.nodes.length > 0 || own.length > 1 ? rule.nodes : own;
      for (const node of named) {
        const row = nodes.get(node) ?? { jobs: new Set(), titles: new Set() };
        row.jobs.add(jobId);
        row.titles.add(rule.title);
        nodes.set(node, row);
      }
    }
  }
  return [...nodes]
    .map(([node, row]) => ({
      node,
      jobs: row.jobs.size,
      titles: [...row.titles],
    }))
    .sort((a, b) => b.jobs - a.jobs || a.node.localeCompare(b.node))
    .slice(0, kMaxRows);
}
