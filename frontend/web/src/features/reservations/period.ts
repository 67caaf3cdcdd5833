// What the calendar shows: a day, a week or a month.
import {
  formatDay,
  formatMonth,
  formatShortDay,
  formatWeekday,
} from "../../lib/format/moment";
import { dayAfter, daysOf, weekOf } from "./days";
import { messages } from "#messages/reservations";

export const kViews = ["day", "week", "month"] as const;
export type View = (typeof kViews)[number];

export interface Period {
  readonly view: View;
  readonly startMs: number; // midnight of its first day
}

// The period of that moment.
export function periodOf(view: View, ms: number): Period {
  return { view, startMs: startOf(view, ms) };
}

export function neighbourOf({ view, startMs }: Period, by: -1 | 1): Period {
  if (view !== "month") {
    return { view, startMs: dayAfter(startMs, view === "week" ? 7 * by : by) };
  }
  const start = new Date(startMs);
  return {
    view,
    startMs: new Date(start.getFullYear(), start.getMonth() + by, 1).getTime(),
  };
}

// The shown days. Those of a month are whole weeks.
export function daysIn({ view, startMs }: Period): number[] {
  if (view === "day") return [startMs];
  if (view === "week") return daysOf(startMs);
  const end = neighbourOf({ view, startMs }, 1).startMs;
  const days: number[] = [];
  for (let week = weekOf(startMs); week < end; week = dayAfter(week, 7)) {
    days.push(...daysOf(week));
  }
  return days;
}

// The day to show when the view changes: today if the period has it.
export function dayIn(period: Period, now: number): number {
  const { startMs } = period;
  return startMs <= now && now < neighbourOf(period, 1).startMs ? now : startMs;
}

// "Mon 23 Nov 2026", "23 Nov to 29 Nov 2026", "November 2026".
export function periodLabel({ view, startMs }: Period): string {
  if (view === "day") return `${formatWeekday(startMs)} ${formatDay(startMs)}`;
  if (view === "month") return formatMonth(startMs);
  const last = dayAfter(startMs, 6);
  return messages.weekFromTo({
    from: formatShortDay(startMs),
    to: formatShortDay(last),
    year: new Date(last).getFullYear(),
  });
}

function startOf(view: View, ms: number): number {
  if (view === "week") return weekOf(ms);
  const date = new Date(ms);
  const day = view === "month" ? 1 : date.getDate();
  return new Date(date.getFullYear(), date.getMonth(), day).getTime();
}
