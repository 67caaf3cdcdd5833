// Labels of the history of a node.
import {
  type GetNodeHistoryResponse,
  NodeEntrySeverity,
  NodeEntrySource,
  type NodeHistoryEntry,
  NodeRuleState,
} from "#proto/node_history";
import { kError, kInfo, kWarning, type SeverityLabel } from "../severity";
import { messages } from "#messages/nodes";

interface Label {
  readonly label: string;
  readonly tone: "good" | "bad" | "wait";
}

export function ruleStateLabel({ state, rule }: GetNodeHistoryResponse): Label {
  switch (state) {
    case NodeRuleState.DRAINED:
      return { label: messages.drainedByRule({ rule }), tone: "bad" };
    case NodeRuleState.AVOIDED:
      return { label: messages.avoided, tone: "wait" };
    case NodeRuleState.SUSPECT:
      return { label: messages.suspect, tone: "wait" };
    default:
      return { label: messages.healthy, tone: "good" };
  }
}

export function entrySeverityLabel(entry: NodeHistoryEntry): SeverityLabel {
  switch (entry.severity) {
    case NodeEntrySeverity.ERROR:
      return kError;
    case NodeEntrySeverity.WARNING:
      return kWarning;
    default:
      return kInfo;
  }
}

const kSources: Partial<Record<NodeEntrySource, string>> = {
  [NodeEntrySource.PROLOG_VET]: messages.prologVet,
  [NodeEntrySource.SITE_VET]: messages.siteVet,
  [NodeEntrySource.JOB_VET]: messages.jobVet,
  [NodeEntrySource.JOB_END]: messages.jobEnd,
  [NodeEntrySource.FINDING]: messages.finding,
  [NodeEntrySource.HOOK]: messages.hook,
  [NodeEntrySource.RULE]: messages.actionByRule,
};

export function entrySourceLabel({ source }: NodeHistoryEntry): string {
  return kSources[source] ?? "";
}

// "Slurm 17 · ada"; empty: not about a job.
export function entryJobLabel(entry: NodeHistoryEntry): string {
  return [
    entry.slurmJobId > 0 && messages.slurmJob({ id: entry.slurmJobId }),
    entry.user,
  ]
    .filter(Boolean)
    .join(" · ");
}
