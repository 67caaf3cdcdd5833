// The notification events of a job as the form stores them: numbers separated
// by commas.
import { JobEvent } from "#proto/jobs";

export function eventsOf(text: string): JobEvent[] {
  return text
    .split(",")
    .map(Number)
    .filter((number) => number > 0 && JobEvent[number] !== undefined);
}

export function textOf(events: readonly JobEvent[]): string {
  return [...events].sort((a, b) => a - b).join(",");
}
