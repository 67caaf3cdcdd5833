// The events of a job that its user is told of, as the form keeps them: their
// numbers with commas between.
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
