// When so many GPUs of a type are free.
import type { FreeGpus } from "#proto/cluster_utilization";
import { formatMoment, msOf } from "../../../lib/format/moment";

// "now", "from 14:20", or why nobody can say.
export function whenFree(gpus: FreeGpus, wanted: number, now: number): string {
  if (wanted > gpus.total) return `never: there are ${gpus.total}`;
  if (wanted <= gpus.free) return "now";
  const step = gpus.steps.find(({ free }) => free >= wanted);
  const at = msOf(step?.at);
  if (at === undefined) return "not in sight";
  return `from ${formatMoment(Math.max(at, now), now)}`;
}

// The numbers for which there is another answer, the smallest first.
export function askedNumbers(gpus: FreeGpus): number[] {
  const numbers = gpus.steps.map(({ free }) => free);
  return [...new Set([...numbers, gpus.total])]
    .filter((wanted) => wanted > gpus.free)
    .sort((a, b) => a - b);
}
