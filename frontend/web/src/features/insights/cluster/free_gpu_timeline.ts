// When GPUs become free, as a step line and as labels.
import type { FreeGpus } from "#proto/cluster_utilization";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { messages } from "#messages/cluster";

const kMinSpanMs = 3_600_000;

export interface FreeSegment {
  readonly fromMs: number;
  readonly toMs: number;
  readonly free: number;
}

// The end of the time axis of all types: a little after the last change.
export function timelineEnd(types: readonly FreeGpus[], now: number): number {
  const times = types.flatMap(({ steps }) =>
    steps.map(({ at }) => msOf(at) ?? now),
  );
  const span = Math.max(...times, now) - now;
  return now + Math.max(kMinSpanMs, 1.1 * span);
}

// From now to `end`. Changes that are overdue count as now.
export function freeSegments(
  gpus: FreeGpus,
  now: number,
  end: number,
): FreeSegment[] {
  const segments: FreeSegment[] = [];
  let current = { fromMs: now, free: gpus.free };
  for (const { at, free } of gpus.steps) {
    const ms = Math.min(Math.max(msOf(at) ?? now, now), end);
    if (ms > current.fromMs) segments.push({ ...current, toMs: ms });
    current = { fromMs: ms, free };
  }
  if (end > current.fromMs) segments.push({ ...current, toMs: end });
  return segments;
}

// The nearest changes: "2 free at 04:42".
export function freeLabels(gpus: FreeGpus, now: number, max: number): string[] {
  return gpus.steps.slice(0, max).map(({ at, free }) =>
    messages.freeAt({
      count: free,
      moment: formatMoment(Math.max(msOf(at) ?? now, now), now),
    }),
  );
}
