// Timestamps of the API as milliseconds, and as text in the active locale and
// the browser's time zone.
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { activeLocale } from "../language/locale";

export function msOf(timestamp: Timestamp | undefined): number | undefined {
  return timestamp && timestampMs(timestamp);
}

// The examples of this file are in British English.
const kFormats = {
  clock: { hour: "2-digit", minute: "2-digit" },
  clockWithSeconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "long", year: "numeric" },
  shortDay: { day: "numeric", month: "short" },
  shortMonth: { month: "short" },
  weekday: { weekday: "short" },
  weekdayAndDay: { weekday: "short", day: "numeric", month: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formatters = new Map<string, Intl.DateTimeFormat>();

function format(ms: number, name: keyof typeof kFormats): string {
  const key = `${activeLocale()} ${name}`;
  const formatter =
    formatters.get(key) ??
    new Intl.DateTimeFormat(activeLocale(), kFormats[name]);
  formatters.set(key, formatter);
  return formatter.format(ms);
}

// "14:05".
export function formatClock(ms: number): string {
  return format(ms, "clock");
}

// "14:05:09".
export function formatClockWithSeconds(ms: number): string {
  return format(ms, "clockWithSeconds");
}

// "14:05" today, "3 Nov, 14:05" on another day.
export function formatMoment(ms: number, now: number): string {
  const isToday = new Date(ms).toDateString() === new Date(now).toDateString();
  return isToday
    ? formatClock(ms)
    : `${formatShortDay(ms)}, ${formatClock(ms)}`;
}

// "21 Nov 2026".
export function formatDay(ms: number): string {
  return format(ms, "day");
}

// "21 Nov".
export function formatShortDay(ms: number): string {
  return format(ms, "shortDay");
}

// "November 2026".
export function formatMonth(ms: number): string {
  return format(ms, "month");
}

// "Nov".
export function formatShortMonth(ms: number): string {
  return format(ms, "shortMonth");
}

// "Sat".
export function formatWeekday(ms: number): string {
  return format(ms, "weekday");
}

// "Sat, 21 Nov".
export function formatWeekdayAndDay(ms: number): string {
  return format(ms, "weekdayAndDay");
}

// "21 Nov 2026, 14:05:09", for logs.
export function formatExactly(ms: number): string {
  return `${formatDay(ms)}, ${formatClockWithSeconds(ms)}`;
}
