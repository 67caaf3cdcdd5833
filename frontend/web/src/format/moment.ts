// Points in time: the contract's timestamps as milliseconds, and as text in
// the reader's own time zone.
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
