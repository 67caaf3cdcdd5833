// What the overview of the administration shows, from the responses of the
// services. Pure.
import type {
  CertificateHealth,
  GetHealthResponse,
  OwnedJob,
} from "#proto/admin";
import { type ClusterNode, NodeCondition } from "#proto/cluster_utilization";
import { JobEnd, JobState } from "#proto/jobs";
import { type PlainPage } from "../../../routes/route";
import { msOf } from "../../../lib/format/moment";
import type { Tone } from "../../jobs/job_labels";
import { certificateLabel } from "../certificate_labels";
import { componentLabel, isTroubled, stateLabel } from "../health_labels";
import { messages } from "#messages/admin_overview";

// The ends that an administrator wants to know of: not those of the user's will.
export const kFailedEnds: readonly JobEnd[] = [
  JobEnd.FAILED,
  JobEnd.NODE_FAIL,
  JobEnd.OUT_OF_MEMORY,
  JobEnd.NOT_SUBMITTED,
  JobEnd.UNKNOWN,
];

export interface JobCounts {
  readonly people: number; // with a job that runs
  readonly running: number;
  readonly waiting: number;
  readonly oldestWaitMs: number | undefined; // since its submission
}

const kRunning: readonly JobState[] = [
  JobState.STARTING,
  JobState.READY,
  JobState.STOPPING,
];
const kWaiting: readonly JobState[] = [JobState.SUBMITTING, JobState.PENDING];

export function countJobs(jobs: readonly OwnedJob[], now: number): JobCounts {
  const isIn = (states: readonly JobState[]) => (entry: OwnedJob) =>
    entry.job !== undefined && states.includes(entry.job.state);
  const running = jobs.filter(isIn(kRunning));
  const waiting = jobs.filter(isIn(kWaiting));
  const begins = waiting
    .filter(({ job }) => !job?.held)
    .map(({ job }) => msOf(job?.createdAt) ?? now);
  return {
    people: new Set(running.map(({ owner }) => owner)).size,
    running: running.length,
    waiting: waiting.length,
    oldestWaitMs: begins.length > 0 ? now - Math.min(...begins) : undefined,
  };
}

export interface GpuUse {
  readonly type: string;
  readonly used: number;
  readonly total: number; // on nodes that take jobs or run some
}

const kOut: readonly NodeCondition[] = [NodeCondition.OUT, NodeCondition.DOWN];

export function gpuUse(nodes: readonly ClusterNode[]): readonly GpuUse[] {
  const types = new Map<string, { used: number; total: number }>();
  for (const { condition, gpus } of nodes) {
    if (kOut.includes(condition)) continue;
    for (const { type, used, total } of gpus) {
      const sum = types.get(type) ?? { used: 0, total: 0 };
      types.set(type, { used: sum.used + used, total: sum.total + total });
    }
  }
  return [...types]
    .map(([type, sum]) => ({ type, ...sum }))
    .sort((a, b) => b.total - a.total || a.type.localeCompare(b.type));
}

// Something that needs a person, and the page where it is dealt with.
export interface Attention {
  readonly key: string;
  readonly tone: Tone;
  readonly title: string;
  readonly detail: string;
  readonly page: PlainPage;
}

const kOutNodes: readonly NodeCondition[] = [...kOut, NodeCondition.DRAINING];

export function attentionOf(
  health: GetHealthResponse | undefined,
  nodes: readonly ClusterNode[],
  now: number,
): readonly Attention[] {
  return [
    ...(health?.components ?? []).filter(isTroubled).map((component) => ({
      key: `component ${component.component} ${component.name}`,
      tone: stateLabel(component.state).tone,
      title: messages.componentState({
        component: componentLabel(component.component).title,
        state: stateLabel(component.state).text,
      }),
      detail: component.detail,
      page: "health" as const,
    })),
    ...(health?.certificates ?? [])
      .filter((certificate) => isEnding(certificate, now))
      .map((certificate) => ({
        key: `certificate ${certificate.program} ${certificate.name}`,
        tone: certificateLabel(certificate, now).tone,
        title: messages.certificateOf({ program: certificate.program }),
        detail: certificateLabel(certificate, now).text,
        page: "health" as const,
      })),
    ...nodes
      .filter(({ condition }) => kOutNodes.includes(condition))
      .map(({ name, conditionText, reason, condition }) => ({
        key: `node ${name}`,
        tone:
          condition === NodeCondition.DOWN
            ? ("bad" as const)
            : ("wait" as const),
        title: messages.nodeState({ node: name, state: conditionText }),
        detail: reason,
        page: "nodes" as const,
      })),
  ];
}

function isEnding(certificate: CertificateHealth, now: number): boolean {
  const end = msOf(certificate.notAfter);
  return certificate.soon || (end !== undefined && end <= now);
}
