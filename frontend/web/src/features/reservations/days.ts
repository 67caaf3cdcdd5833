// Days of the calendar, and the position of time spans in them. Days are in the
// browser's time zone; days with a clock change are an hour longer or shorter.

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

// As fractions of the day and of its width.
export interface Block<T> {
  readonly item: T;
  readonly top: number;
  readonly height: number;
  readonly lane: number;
  readonly lanes: number;
}

// Midnight at the start of the day, `days` later.
export function dayAfter(ms: number, days: number): number {
  const date = new Date(ms);
  return new Date(
    date.getFullYear(),
    date.getMonth(),
    date.getDate() + days,
  ).getTime();
}

// Midnight at the start of Monday of that week.
export function weekOf(ms: number): number {
  const weekday = (new Date(ms).getDay() + 6) % 7;
  return dayAfter(ms, -weekday);
}

export function daysOf(week: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6].map((days) => dayAfter(week, days));
}

// The parts of the items on the day that starts at `day`. Overlapping items are
// placed side by side.
export function blocksOf<T extends Span>(
  items: readonly T[],
  day: number,
): Block<T>[] {
  const end = dayAfter(day, 1);
  const length = end - day;
  const seen = items
    .filter((item) => item.startMs < end && item.endMs > day)
    .sort((a, b) => a.startMs - b.startMs || b.endMs - a.endMs);
  const blocks: Block<T>[] = [];
  let group: { item: T; lane: number }[] = [];
  let lanes: number[] = []; // end of the last item in each column
  const finish = () => {
    for (const { item, lane } of group) {
      const from = Math.max(item.startMs, day);
      const to = Math.min(item.endMs, end);
      blocks.push({
        item,
        top: (from - day) / length,
        height: (to - from) / length,
        lane,
        lanes: lanes.length,
      });
    }
    group = [];
    lanes = [];
  };
  for (const item of seen) {
    if (lanes.every((free) => free <= item.startMs)) finish();
    const found = lanes.findIndex((free) => free <= item.startMs);
    const lane = found < 0 ? lanes.length : found;
    lanes[lane] = item.endMs;
    group.push({ item, lane });
  }
  finish();
  return blocks;
}
