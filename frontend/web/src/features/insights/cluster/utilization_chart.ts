// The shape of a chart: one column for each recorded step, in a box of 1000 ×
// 100 units with 0 % at the bottom.
import type {
  UtilizationPoint,
  UtilizationSeries,
} from "#proto/cluster_utilization";
import { msOf } from "../../../lib/format/moment";

export interface ChartSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

// An SVG path. Steps without data, or without any GPU up, are gaps.
export function columnsOf(
  points: readonly UtilizationPoint[],
  { fromMs, toMs, stepMs }: ChartSpan,
): string {
  const x = (ms: number) =>
    round(
      (1000 * (Math.min(Math.max(ms, fromMs), toMs) - fromMs)) /
        (toMs - fromMs),
    );
  return points
    .map((point) => {
      const at = msOf(point.at) ?? 0;
      if (point.total <= 0 || at >= toMs || at + stepMs <= fromMs) return "";
      const height = Math.min(1, point.used / point.total);
      return `M${x(at)} 100V${round(100 - 100 * height)}H${x(at + stepMs)}V100Z`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// The recorded step at a share of the width, from 0 to 1; undefined: a gap.
export function pointAt(
  points: readonly UtilizationPoint[],
  { fromMs, toMs, stepMs }: ChartSpan,
  share: number,
): UtilizationPoint | undefined {
  const ms = fromMs + share * (toMs - fromMs);
  return points.find((point) => {
    const at = msOf(point.at) ?? 0;
    return at <= ms && ms < at + stepMs && point.total > 0;
  });
}

// The newest recorded step.
export function newestOf({
  points,
}: UtilizationSeries): UtilizationPoint | undefined {
  return points.filter(({ total }) => total > 0).at(-1);
}

// The average of all recorded steps, weighted by the available units.
export function averageOf({ points }: UtilizationSeries): number | undefined {
  const total = points.reduce((sum, point) => sum + point.total, 0);
  const used = points.reduce((sum, point) => sum + point.used, 0);
  return total > 0 ? used / total : undefined;
}

export function percent(share: number): string {
  const value = 100 * share;
  return `${value > 0 && value < 1 ? "<1" : Math.round(value)} %`;
}
