// Timestamps of the API as milliseconds, and as text in the browser's time
// zone.
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

export function msOf(timestamp: Timestamp | undefined): number | undefined {
  return timestamp && timestampMs(timestamp);
}

// "14:05" today, "3 Nov, 14:05" on another day.
export function formatMoment(ms: number, now: number): string {
  const date = new Date(ms);
  const time = date.toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
  });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const day = date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
  });
  return `${day}, ${time}`;
}

// "21 Nov 2026".
export function formatDay(ms: number): string {
  return new Date(ms).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

// "21 Nov 2026, 14:05:09", for logs.
export function formatExactly(ms: number): string {
  const time = new Date(ms).toLocaleTimeString("en-GB");
  return `${formatDay(ms)}, ${time}`;
}
