// The time that a user selects in the calendar, by pointer or by keyboard: slots
// of half an hour, also over midnight.
import { dayAfter, type Span } from "./days";

export const kSlotMs = 30 * 60_000;
const kMinuteMs = 60_000;

// Starts of slots. The selection is from the earlier one to the later one.
export interface Selection {
  readonly anchorMs: number;
  readonly headMs: number;
}

// The slot at a height of a day; a height outside is at its edge.
export function slotAt(day: number, fraction: number): number {
  const length = dayAfter(day, 1) - day;
  const slots = Math.round(length / kSlotMs);
  const slot = Math.floor(fraction * slots);
  return day + kSlotMs * Math.min(slots - 1, Math.max(0, slot));
}

export function spanOf({ anchorMs, headMs }: Selection): Span {
  return {
    startMs: Math.min(anchorMs, headMs),
    endMs: Math.max(anchorMs, headMs) + kSlotMs,
  };
}

// A click selects an hour.
export function hourFrom(slotMs: number): Selection {
  return { anchorMs: slotMs, headMs: slotMs + kSlotMs };
}

// The part that is not past, from the current minute on; undefined: none.
export function bookablePart(
  { startMs, endMs }: Span,
  now: number,
): Span | undefined {
  if (endMs <= now) return undefined;
  const minute = now - (now % kMinuteMs);
  return { startMs: Math.max(startMs, minute), endMs };
}

const kSteps: Readonly<Record<string, { days?: number; slots?: number }>> = {
  ArrowUp: { slots: -1 },
  ArrowDown: { slots: 1 },
  ArrowLeft: { days: -1 },
  ArrowRight: { days: 1 },
};

// The selection after a key, within the shown days; undefined: another key.
// Without a selection it starts at the next slot, or at 8 o'clock of the first
// day if that is not shown.
export function selectionAfter(
  key: string,
  extend: boolean,
  selection: Selection | undefined,
  days: readonly number[],
  now: number,
): Selection | undefined {
  const step = Object.hasOwn(kSteps, key) ? kSteps[key] : undefined;
  if (!step) return undefined;
  if (!selection) {
    const at = firstSlot(days, now);
    return { anchorMs: at, headMs: at };
  }
  const head = moved(selection.headMs, step);
  const last = dayAfter(days[days.length - 1]!, 1) - kSlotMs;
  const headMs = Math.min(last, Math.max(days[0]!, head));
  return { anchorMs: extend ? selection.anchorMs : headMs, headMs };
}

function moved(ms: number, step: { days?: number; slots?: number }): number {
  if (!step.days) return ms + (step.slots ?? 0) * kSlotMs;
  const date = new Date(ms);
  date.setDate(date.getDate() + step.days);
  return date.getTime();
}

function firstSlot(days: readonly number[], now: number): number {
  const next = kSlotMs * Math.ceil(now / kSlotMs);
  const first = days[0]!;
  const end = dayAfter(days[days.length - 1]!, 1);
  if (first <= next && next < end) return next;
  return new Date(first).setHours(8);
}
