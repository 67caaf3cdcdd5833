// Labels for jobs: state, outcome, resources.
import { type Job, JobAppState, JobEnd, JobState } from "#proto/jobs";
import { formatMib } from "../../lib/format/memory";
import { formatMoment, msOf } from "../../lib/format/moment";
import { isLinkedJob } from "./additional_nodes/linked_jobs";
import { isHeldByAdmin } from "./admin_labels";
import { isBatch } from "./array_labels";
import { kStageIn, kStageOut, kVetting } from "./job_apps";
import { messages } from "#messages/jobs";

export type Tone = "wait" | "info" | "good" | "bad" | "neutral";

export interface StateLabel {
  readonly key: string; // for styles and tests
  readonly label: string;
  readonly tone: Tone;
}

const kStates: Record<JobState, StateLabel> = {
  [JobState.UNSPECIFIED]: {
    key: "unknown",
    label: messages.stateUnknown,
    tone: "neutral",
  },
  [JobState.SUBMITTING]: {
    key: "submitting",
    label: messages.stateSubmitting,
    tone: "wait",
  },
  [JobState.PENDING]: {
    key: "pending",
    label: messages.statePending,
    tone: "wait",
  },
  [JobState.STARTING]: {
    key: "starting",
    label: messages.stateStarting,
    tone: "info",
  },
  [JobState.READY]: { key: "ready", label: messages.stateReady, tone: "good" },
  [JobState.STOPPING]: {
    key: "stopping",
    label: messages.stateStopping,
    tone: "info",
  },
  [JobState.ENDED]: {
    key: "ended",
    label: messages.stateEnded,
    tone: "neutral",
  },
};

export function stateLabel(job: Job): StateLabel {
  const known = kStates[job.state] ?? kStates[JobState.UNSPECIFIED];
  const runs = isBatch(job) && job.state === JobState.READY;
  const label = runs ? { ...known, label: messages.stateRunning } : known;
  return hasFailed(job) ? { ...label, tone: "bad" } : label;
}

// The current activity, if the server gives no reason.
const kActivities: Partial<Record<JobState, string>> = {
  [JobState.SUBMITTING]: messages.submittingToSlurm,
  [JobState.PENDING]: messages.queued,
  [JobState.STARTING]: messages.startingTheApp,
  [JobState.STOPPING]: messages.stopping,
};

export function currentActivity(job: Job): string {
  if (job.state === JobState.STARTING && isVetting(job)) {
    return messages.vettingTheNodes;
  }
  if (job.spec?.builds && job.state === JobState.STARTING) {
    return messages.buildingImage({ image: job.spec.builds });
  }
  if (isBatch(job) && job.state === JobState.STARTING) {
    return job.reason || copyLabel(job) || messages.startingTheEnvironment;
  }
  if (job.spec?.linkedTo && job.state === JobState.STARTING) {
    return job.reason || messages.startingTheEnvironmentOnTheNodes;
  }
  if (isHeldByAdmin(job)) {
    return messages.heldByAnAdministrator;
  }
  return job.reason || copyLabel(job) || (kActivities[job.state] ?? "");
}

// The expected start of a pending job; empty if Slurm gives no time, or if the
// time is now.
export function expectedStart(job: Job, now: number): string {
  const start = msOf(job.expectedStart);
  if (job.state !== JobState.PENDING || start === undefined) return "";
  if (start < now + 60_000) return "";
  return messages.expectedToStartAt({ moment: formatMoment(start, now) });
}

function isVetting(job: Job): boolean {
  return job.apps.some(
    ({ app, state }) => app === kVetting && state === JobAppState.STARTING,
  );
}

const kCopies: Record<string, (of: { progress: string }) => string> = {
  [kVetting]: messages.nodesVetted,
  [kStageIn]: messages.dataCopied,
  [kStageOut]: messages.resultsCopied,
};

// The progress or result of copying a job's data: "Results: 1.2 of 3.0 GB
// copied from the node"; before it, what the vetting of the nodes has found.
// Empty if there is nothing to tell.
export function copyLabel(job: Job): string {
  const steps = job.apps.filter(({ app, detail }) => kCopies[app] && detail);
  // The last step is the current one.
  const last =
    [kStageOut, kStageIn]
      .map((id) => steps.find(({ app }) => app === id))
      .find(Boolean) ?? steps[0];
  return last?.detail
    ? (kCopies[last.app]?.({ progress: last.detail }) ?? "")
    : "";
}

const kEnds: Record<JobEnd, string> = {
  [JobEnd.UNSPECIFIED]: messages.outcomeEnded,
  [JobEnd.COMPLETED]: messages.outcomeCompleted,
  [JobEnd.STOPPED]: messages.outcomeStopped,
  [JobEnd.TIME_LIMIT]: messages.outcomeTimeLimit,
  [JobEnd.FAILED]: messages.outcomeFailed,
  [JobEnd.NODE_FAIL]: messages.outcomeNodeFailed,
  [JobEnd.NOT_SUBMITTED]: messages.outcomeNotSubmitted,
  [JobEnd.UNKNOWN]: messages.outcomeUnknown,
  [JobEnd.OUT_OF_MEMORY]: messages.outcomeOutOfMemory,
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
  return tells
    ? messages.outcomeWithExitCode({ outcome: text, exitCode: job.exitCode })
    : text;
}

export function isWaiting({ state }: Job): boolean {
  return state === JobState.PENDING || state === JobState.SUBMITTING;
}

// Whether a tab may be opened now that shows the app later.
export function mayOpenEarly(job: Job): boolean {
  const comes = isWaiting(job) || job.state === JobState.STARTING;
  return comes && !isLinkedJob(job) && !isBatch(job) && !job.spec?.builds;
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
    return several
      ? messages.nodesCpuOnly({ nodes: spec.nodes })
      : messages.cpuOnly;
  }
  const each = spec.gpuType
    ? messages.gpusOfType({ gpus: spec.gpusPerNode, type: spec.gpuType })
    : messages.gpusOfAnyType({ gpus: spec.gpusPerNode });
  return several
    ? messages.nodesWithEach({ nodes: spec.nodes, gpus: each })
    : each;
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
    spec.cpusPerNode > 0 ? messages.cpus({ count: spec.cpusPerNode }) : "",
    spec.memoryPerNodeMib > 0n ? formatMib(Number(spec.memoryPerNodeMib)) : "",
  ].filter(Boolean);
}
