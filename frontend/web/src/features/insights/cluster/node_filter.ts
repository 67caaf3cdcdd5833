// The filter of the nodes, as form and as query string.
import { type ClusterNode, NodeCondition } from "#proto/cluster_utilization";
import { formOfQuery, queryOfForm } from "../../../ui/query_form";
import { nodesWith } from "./node_labels";

const kFields = [
  "find",
  "state", // a key of NodeCondition
  "partition",
  "gpu", // a type
  "view", // "grid", "table"; empty: by the number of nodes
  "node", // the one that is shown in detail
] as const;

export type NodeFilter = Readonly<Record<(typeof kFields)[number], string>>;

export const nodeFilterOf = (query: string): NodeFilter =>
  formOfQuery(kFields, query);

export const queryOfNodes = (filter: NodeFilter): string =>
  queryOfForm(kFields, filter);

// More nodes than this are a grid at first: a table would be a wall.
const kMaxTable = 12;

export function viewOf({ view }: NodeFilter, nodes: number): "grid" | "table" {
  if (view === "grid" || view === "table") return view;
  return nodes > kMaxTable ? "grid" : "table";
}

// Without the filter by state, whose buttons count these nodes.
export function nodesInScope(
  nodes: readonly ClusterNode[],
  { find, partition, gpu }: NodeFilter,
): readonly ClusterNode[] {
  return nodesWith(nodes, find).filter(
    (node) =>
      (!partition || node.partitions.includes(partition)) &&
      (!gpu || node.gpus.some(({ type }) => type === gpu)),
  );
}

export function nodesInState(
  nodes: readonly ClusterNode[],
  { state }: NodeFilter,
): readonly ClusterNode[] {
  if (!state) return nodes;
  return nodes.filter(({ condition }) => NodeCondition[condition] === state);
}

export interface StateCount {
  readonly state: string; // a key of NodeCondition
  readonly node: ClusterNode; // one of them, for label and tone
  readonly count: number;
}

// Most frequent first.
export function stateCounts(nodes: readonly ClusterNode[]): StateCount[] {
  const counts = new Map<string, { node: ClusterNode; count: number }>();
  for (const node of nodes) {
    const state = NodeCondition[node.condition];
    const known = counts.get(state);
    if (known) known.count++;
    else counts.set(state, { node, count: 1 });
  }
  return [...counts]
    .map(([state, found]) => ({ state, ...found }))
    .sort((a, b) => b.count - a.count);
}

export function partitionsOf(nodes: readonly ClusterNode[]): string[] {
  return sorted(nodes.flatMap(({ partitions }) => partitions));
}

export function gpuTypesOf(nodes: readonly ClusterNode[]): string[] {
  return sorted(nodes.flatMap(({ gpus }) => gpus.map(({ type }) => type)));
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
