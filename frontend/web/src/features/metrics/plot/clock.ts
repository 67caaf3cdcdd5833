// Local times of axes and legends.
import {
  formatClock,
  formatClockWithSeconds,
  formatDay,
} from "../../../lib/format/moment";

// "14:05", "14:05:09"; on another day than `beforeMs`: "22 Nov 2026".
export function axisTime(
  ms: number,
  withSeconds: boolean,
  beforeMs?: number,
): string {
  const isNewDay =
    beforeMs !== undefined &&
    new Date(ms).toDateString() !== new Date(beforeMs).toDateString();
  const time = withSeconds ? formatClockWithSeconds(ms) : formatClock(ms);
  return isNewDay ? `${time}\n${formatDay(ms)}` : time;
}
