// The nodes that the field "Excluded nodes" offers.
import type { ClusterNode } from "#proto/cluster_utilization";
import type { GetClusterResponse } from "#proto/cluster";
import type { TemplateSettings } from "#proto/template";
import { hostsOf } from "../../../lib/host_list";
import type { ComboboxOption } from "../../../ui/combobox/combobox_input";
import { conditionLabel, nodesWith } from "../../insights/cluster/node_labels";
import { chosenNodes, kMaxExcludedNodes, typedItem } from "./excluded_nodes";
import type { StartForm } from "./start_form";
import { messages } from "#messages/start";

// Longer lists make the page slow; a part of the name finds the other nodes.
export const kMaxOptions = 50;

export interface NodeOptions {
  readonly options: readonly ComboboxOption[];
  readonly left: number; // matching nodes that are not among the options
}

// Where the job would run; empty: anywhere.
export function partitionOf(
  { partition }: Pick<StartForm, "partition">,
  bound: Pick<TemplateSettings, "partition"> | undefined,
  { partitions }: Pick<GetClusterResponse, "partitions">,
): string {
  return (
    partition ||
    bound?.partition ||
    (partitions.find(({ isDefault }) => isDefault)?.name ?? "")
  );
}

// The nodes of a partition that jobs of Carme can use.
export function nodesFor(
  nodes: readonly ClusterNode[],
  partition: string,
): readonly ClusterNode[] {
  return nodes.filter(
    ({ forJobs, partitions }) =>
      forJobs && (partition === "" || partitions.includes(partition)),
  );
}

// For what is being typed: a list of several nodes is an option of its own.
export function nodeOptions(
  nodes: readonly ClusterNode[],
  text: string,
): NodeOptions {
  const typed = typedItem(text);
  const hosts = typed.includes("[") && hostsOf(typed, kMaxExcludedNodes);
  if (hosts) {
    const label = messages.listedNodes({ count: hosts.length });
    return { options: [{ value: typed, label, chosen: false }], left: 0 };
  }
  const found = matching(nodes, typed);
  const chosen = chosenNodes(text);
  return {
    options: found.slice(0, kMaxOptions).map((node) => ({
      value: node.name,
      label: gpusLabel(node),
      state: conditionLabel(node),
      chosen: chosen.has(node.name),
    })),
    left: Math.max(0, found.length - kMaxOptions),
  };
}

// Nodes with the text in their names come first. Of a list that is not complete,
// the text before its bracket counts.
function matching(
  nodes: readonly ClusterNode[],
  typed: string,
): readonly ClusterNode[] {
  const bracket = typed.indexOf("[");
  if (bracket >= 0) {
    const start = typed.slice(0, bracket);
    return nodes.filter(({ name }) => name.startsWith(start));
  }
  const text = typed.toLowerCase();
  const isNamed = ({ name }: ClusterNode) => name.toLowerCase().includes(text);
  const found = nodesWith(nodes, typed);
  return [...found.filter(isNamed), ...found.filter((node) => !isNamed(node))];
}

function gpusLabel({ gpus }: ClusterNode): string {
  return gpus
    .map(({ total, type }) => messages.nodeGpus({ total, type }))
    .join(", ");
}
