// The part of a job's time that the plots show.
import type { TimeGrid } from "./metric_grid";

export type TimeRange =
  | { readonly kind: "whole" }
  | { readonly kind: "last"; readonly seconds: number }
  | {
      readonly kind: "selected";
      readonly fromMs: number;
      readonly toMs: number;
    };

export const kWhole: TimeRange = { kind: "whole" };

export interface Points {
  readonly first: number;
  readonly end: number; // after the last
}

export interface Bounds {
  readonly fromMs: number;
  readonly toMs: number;
}

// What the axis of times shows; at least one step.
export function boundsOf(range: TimeRange, grid: TimeGrid): Bounds {
  const startMs = grid.timeMs(0);
  const endMs = Math.max(grid.timeMs(grid.length - 1), grid.timeMs(1));
  switch (range.kind) {
    case "whole":
      return { fromMs: startMs, toMs: endMs };
    case "last":
      return {
        fromMs: Math.max(startMs, endMs - range.seconds * 1000),
        toMs: endMs,
      };
    case "selected":
      return { fromMs: range.fromMs, toMs: range.toMs };
  }
}

export function pointsIn(bounds: Bounds, grid: TimeGrid): Points {
  const stepMs = grid.stepS * 1000;
  const first = Math.ceil((bounds.fromMs - grid.fromMs) / stepMs);
  const end = Math.floor((bounds.toMs - grid.fromMs) / stepMs) + 1;
  return {
    first: Math.min(Math.max(0, first), grid.length),
    end: Math.min(Math.max(0, end), grid.length),
  };
}
