// What the times of a plot are: points in time, or times since a job's start.
import { formatExactly } from "../../../lib/format/moment";
import { axisTime } from "./clock";

export interface TimeAxis {
  readonly isClock: boolean;
  // "14:05:09", "1:05:09".
  format(ms: number, withSeconds: boolean, beforeMs?: number): string;
  exactly(ms: number): string;
  machine(ms: number): string; // of <time datetime>
}

export const kClockTimes: TimeAxis = {
  isClock: true,
  format: axisTime,
  exactly: formatExactly,
  machine: (ms) => new Date(ms).toISOString(),
};

export const kTimesSinceStart: TimeAxis = {
  isClock: false,
  format: formatSinceStart,
  exactly: formatSinceStart,
  machine: (ms) => `PT${Math.round(ms / 1000)}S`,
};

// Distances of ticks in seconds.
export const kSteps: readonly number[] = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600,
  43_200, 86_400, 172_800, 432_000, 864_000,
];

// "0:05", "12:30", "1:05:09".
export function formatSinceStart(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const tail = two(seconds % 60);
  if (hours === 0) return `${minutes}:${tail}`;
  return `${hours}:${two(minutes % 60)}:${tail}`;
}
