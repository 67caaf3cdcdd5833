// The cells of the grid of nodes: their labels, levels and keys.
import type { ClusterNode } from "#proto/cluster_utilization";
import { conditionLabel } from "./node_labels";
import { messages } from "#messages/cluster";

// "n1: In use, 3 of 4 GPUs in use", or CPUs of a node without GPUs.
export function cellLabel(node: ClusterNode): string {
  const { used, total, isGpus } = amountOf(node);
  const of = { name: node.name, state: conditionLabel(node).label };
  const label = isGpus
    ? messages.cellGpus({ ...of, used, total })
    : messages.cellCpus({ ...of, used, total });
  return node.reason
    ? messages.cellReason({ label, reason: node.reason })
    : label;
}

// The share in use in quarters, 0 to 4: only an idle node has 0, only a full
// one 4.
export function cellLevel(node: ClusterNode): number {
  const { used, total } = amountOf(node);
  if (used <= 0 || total <= 0) return 0;
  if (used >= total) return 4;
  return Math.min(3, Math.max(1, Math.round((4 * used) / total)));
}

export function amountOf(node: ClusterNode): {
  used: number;
  total: number;
  isGpus: boolean;
} {
  const total = node.gpus.reduce((sum, gpu) => sum + gpu.total, 0);
  if (total === 0) {
    return { used: node.cpusUsed, total: node.cpus, isGpus: false };
  }
  const used = node.gpus.reduce((sum, gpu) => sum + gpu.used, 0);
  return { used, total, isGpus: true };
}

// The cell that a key leads to; undefined: the key is not one of the grid's.
export function nextCell(
  key: string,
  at: number,
  count: number,
  columns: number,
): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  if (next === undefined) return undefined;
  return next >= 0 && next < count ? next : at;
}
