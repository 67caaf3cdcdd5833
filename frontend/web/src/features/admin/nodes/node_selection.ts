// Which of the selected nodes can be drained or resumed.
import { type ClusterNode, NodeCondition } from "#proto/cluster_utilization";

export const kMaxNodes = 64; // of one request

const kDrained: ReadonlySet<NodeCondition> = new Set([
  NodeCondition.DRAINING,
  NodeCondition.OUT,
]);

export function isDrained({ condition }: ClusterNode): boolean {
  return kDrained.has(condition);
}

export interface NodeSelection {
  readonly toDrain: readonly string[];
  readonly toResume: readonly string[];
}

// Names that no node has any more are left out.
export function selectionOf(
  nodes: readonly ClusterNode[],
  selected: ReadonlySet<string>,
): NodeSelection {
  const chosen = nodes.filter(({ name }) => selected.has(name));
  return {
    toDrain: chosen.filter((node) => !isDrained(node)).map(({ name }) => name),
    toResume: chosen.filter(isDrained).map(({ name }) => name),
  };
}

// "n1", "n1, n2 and 3 more".
export function namesOf(
  names: readonly string[],
  andMore: (of: { shown: string; rest: number }) => string,
): string {
  const kShown = 8;
  const shown = names.slice(0, kShown).join(", ");
  const rest = names.length - kShown;
  return rest > 0 ? andMore({ shown, rest }) : shown;
}
