// Labels for the time when a number of GPUs is free.
import type { FreeGpus } from "#proto/cluster_utilization";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { messages } from "../messages";

// "now", "from 14:20", or why the time is unknown.
export function whenFree(gpus: FreeGpus, wanted: number, now: number): string {
  if (wanted > gpus.total) return messages.neverTotal(gpus.total);
  if (wanted <= gpus.free) return messages.now;
  const step = gpus.steps.find(({ free }) => free >= wanted);
  const at = msOf(step?.at);
  if (at === undefined) return messages.unknownLabel;
  return messages.freeFrom(formatMoment(Math.max(at, now), now));
}

// The numbers of GPUs to show, smallest first.
export function shownNumbers(gpus: FreeGpus): number[] {
  const numbers = gpus.steps.map(({ free }) => free);
  return [...new Set([...numbers, gpus.total])]
    .filter((wanted) => wanted > gpus.free)
    .sort((a, b) => a - b);
}
