// Labels for jobs: state, outcome, resources.
import { type Job, JobEnd, JobState } from "#proto/jobs";
import { count } from "../../lib/format/count";
import { formatMib } from "../../lib/format/memory";
import { formatMoment, msOf } from "../../lib/format/moment";
import { isHeldByAdmin } from "./admin_labels";
import { isBatch } from "./array_labels";

export type Tone = "wait" | "info" | "good" | "bad" | "neutral";

export interface StateLabel {
  readonly key: string; // for styles and tests
  readonly label: string;
  readonly tone: Tone;
}

const kStates: Record<JobState, StateLabel> = {
  [JobState.UNSPECIFIED]: { key: "unknown", label: "Unknown", tone: "neutral" },
  [JobState.SUBMITTING]: {
    key: "submitting",
    label: "Submitting",
    tone: "wait",
  },
  [JobState.PENDING]: { key: "pending", label: "Pending", tone: "wait" },
  [JobState.STARTING]: { key: "starting", label: "Starting", tone: "info" },
  [JobState.READY]: { key: "ready", label: "Ready", tone: "good" },
  [JobState.STOPPING]: { key: "stopping", label: "Stopping", tone: "info" },
  [JobState.ENDED]: { key: "ended", label: "Ended", tone: "neutral" },
};

export function stateLabel(job: Job): StateLabel {
  const known = kStates[job.state] ?? kStates[JobState.UNSPECIFIED];
  const runs = isBatch(job) && job.state === JobState.READY;
  const label = runs ? { ...known, label: "Running" } : known;
  return hasFailed(job) ? { ...label, tone: "bad" } : label;
}

// The current activity, if the server gives no reason.
const kActivities: Partial<Record<JobState, string>> = {
  [JobState.SUBMITTING]: "Submitting to Slurm…",
  [JobState.PENDING]: "Queued",
  [JobState.STARTING]: "Resources allocated, starting the app…",
  [JobState.STOPPING]: "Stopping…",
};

export function currentActivity(job: Job): string {
  if (job.spec?.builds && job.state === JobState.STARTING) {
    return `Building, checking or copying image ${job.spec.builds}`;
  }
  if (isBatch(job) && job.state === JobState.STARTING) {
    return job.reason || copyLabel(job) || "Starting the environment…";
  }
  if (job.spec?.linkedTo && job.state === JobState.STARTING) {
    return job.reason || "Starting the environment on the nodes…";
  }
  if (isHeldByAdmin(job)) {
    return "Held by an administrator until they release it";
  }
  return job.reason || copyLabel(job) || (kActivities[job.state] ?? "");
}

// The expected start of a pending job; empty if Slurm gives no time, or if the
// time is now.
export function expectedStart(job: Job, now: number): string {
  const start = msOf(job.expectedStart);
  if (job.state !== JobState.PENDING || start === undefined) return "";
  if (start < now + 60_000) return "";
  return `expected to start at about ${formatMoment(start, now)}`;
}

const kCopies: Record<string, string> = {
  "stage-in": "Data",
  "stage-out": "Results",
};

// The progress or result of copying a job's data: "Results: 1.2 of 3.0 GB
// copied from the node". Empty if nothing is copied.
export function copyLabel(job: Job): string {
  const copies = job.apps.filter(({ app }) => kCopies[app]);
  // The last step is the current one.
  const last = copies.find(({ app }) => app === "stage-out") ?? copies[0];
  return last?.detail ? `${kCopies[last.app]}: ${last.detail}` : "";
}

const kEnds: Record<JobEnd, string> = {
  [JobEnd.UNSPECIFIED]: "Ended",
  [JobEnd.COMPLETED]: "Finished",
  [JobEnd.STOPPED]: "Stopped",
  [JobEnd.TIME_LIMIT]: "Walltime reached",
  [JobEnd.FAILED]: "Failed",
  [JobEnd.NODE_FAIL]: "Node failed",
  [JobEnd.NOT_SUBMITTED]: "Not submitted",
  [JobEnd.UNKNOWN]: "Ended, outcome unknown",
  [JobEnd.OUT_OF_MEMORY]: "Out of memory",
};

const kEndedFromOutside: ReadonlySet<JobEnd> = new Set([
  JobEnd.STOPPED,
  JobEnd.TIME_LIMIT,
]);

export function endLabel(job: Job): string {
  const text = kEnds[job.end] ?? kEnds[JobEnd.UNSPECIFIED];
  // The exit code of a stopped or timed-out job is only the signal that ended
  // it.
  const tells = job.exitCode !== 0 && !kEndedFromOutside.has(job.end);
  return tells ? `${text}, exit code ${job.exitCode}` : text;
}

export function hasFailed(job: Job): boolean {
  return (
    job.end === JobEnd.FAILED ||
    job.end === JobEnd.NODE_FAIL ||
    job.end === JobEnd.NOT_SUBMITTED ||
    job.end === JobEnd.OUT_OF_MEMORY
  );
}

// A job has no log before its resources are allocated.
export function mayHaveLog(job: Job): boolean {
  return job.startedAt !== undefined;
}

// "2 × a100", "4 nodes with 2 × a100 each", "CPU only".
export function gpuLabel(spec: {
  nodes: number;
  gpusPerNode: number;
  gpuType: string;
}): string {
  const several = spec.nodes > 1;
  if (spec.gpusPerNode === 0) {
    return several ? `${spec.nodes} nodes, CPU only` : "CPU only";
  }
  const each = `${spec.gpusPerNode} × ${spec.gpuType || "any GPU"}`;
  return several ? `${spec.nodes} nodes with ${each} each` : each;
}

export function sizeLabel(spec: {
  nodes: number;
  gpusPerNode: number;
  gpuType: string;
  cpusPerNode: number;
  memoryPerNodeMib: bigint;
}): string[] {
  return [
    gpuLabel(spec),
    spec.cpusPerNode > 0 ? count(spec.cpusPerNode, "CPU") : "",
    spec.memoryPerNodeMib > 0n ? formatMib(Number(spec.memoryPerNodeMib)) : "",
  ].filter(Boolean);
}
