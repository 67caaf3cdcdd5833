// Labels for node conditions, and the search for nodes.
import { type ClusterNode, NodeCondition } from "#proto/cluster_utilization";
import type { Tone } from "../../jobs/job_labels";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

const kConditions: Record<NodeCondition, { label: string; tone: Tone }> = {
  [NodeCondition.UNSPECIFIED]: {
    label: messages.unknownCondition,
    tone: "bad",
  },
  [NodeCondition.FREE]: { label: messages.free, tone: "good" },
  [NodeCondition.PARTLY_USED]: { label: messages.partlyUsed, tone: "info" },
  [NodeCondition.FULL]: { label: messages.inUse, tone: "info" },
  [NodeCondition.RESERVED]: { label: messages.reserved, tone: "wait" },
  [NodeCondition.DRAINING]: { label: messages.draining, tone: "wait" },
  [NodeCondition.OUT]: { label: messages.outOfUse, tone: "bad" },
  [NodeCondition.DOWN]: { label: messages.downCondition, tone: "bad" },
  [NodeCondition.STARTING]: { label: messages.starting, tone: "wait" },
  [NodeCondition.ASLEEP]: { label: messages.asleep, tone: "neutral" },
};

export function conditionLabel({ condition }: ClusterNode) {
  return kConditions[condition] ?? kConditions[NodeCondition.UNSPECIFIED];
}

// What a flag in Slurm's state means; the first one that a node has counts.
const kFlags: readonly (readonly [string, string])[] = [
  ["REBOOT_ISSUED", cluster.isRestarting],
  ["POWERING_DOWN", cluster.isPoweringDown],
  ["POWERED_DOWN", cluster.startsWhenNeeded],
  ["INVALID_REG", cluster.doesNotMatch],
  ["FAIL", cluster.isFailing],
  ["NOT_RESPONDING", cluster.doesNotRespond],
  ["DRAIN", cluster.takesNoNewJobs],
  ["MAINTENANCE", cluster.isInMaintenance],
  ["RESERVED", cluster.onlyForSome],
  ["COMPLETING", cluster.cleansUp],
  ["PLANNED", cluster.isPlanned],
  ["REBOOT_REQUESTED", cluster.willRestart],
];

// More than the label says; empty: nothing.
export function conditionAbout({ state }: ClusterNode): string {
  const flags = state.split("+").slice(1);
  return kFlags.find(([flag]) => flags.includes(flag))?.[1] ?? "";
}

// "3 free, 2 in use, 1 down", most frequent first.
export function summaryOf(nodes: readonly ClusterNode[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const label = conditionLabel(node).label.toLowerCase();
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([label, amount]) =>
      messages.countInState({ count: amount, state: label }),
    )
    .join(", ");
}

// Searches name, partition, GPU type and condition, ignoring case. All words
// must match.
export function nodesWith(
  nodes: readonly ClusterNode[],
  text: string,
): readonly ClusterNode[] {
  const label = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (label.length === 0) return nodes;
  return nodes.filter((node) => {
    const all = [
      node.name,
      ...node.partitions,
      ...node.gpus.map(({ type }) => type),
      conditionLabel(node).label,
      node.state,
    ]
      .join(" ")
      .toLowerCase();
    return label.every((word) => all.includes(word));
  });
}
