import { formatExactly } from "../../lib/format/moment";
import { formatRunTime } from "../../lib/format/duration";
import { axisTime } from "../metrics/plot/clock";
import type { TimelineStep } from "./timeline_steps";
import { messages } from "#messages/jobs";

// "14:05:09"; with the day if it is not today.
function formatStep(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return isToday ? axisTime(ms, true) : formatExactly(ms);
}

export function Timeline(props: {
  steps: readonly TimelineStep[];
  isSmall?: boolean; // on a card
}) {
  const { steps, isSmall = false } = props;
  return (
    <ol class={isSmall ? "timeline timeline-small" : "timeline"}>
      {steps.map(({ id, title, state, atMs, tookMs }) => (
        <li
          key={id}
          data-testid={`step-${id}`}
          data-state={state}
          aria-current={state === "current" ? "step" : undefined}
        >
          <strong>{title}</strong>
          {atMs !== undefined && (
            <time
              dateTime={new Date(atMs).toISOString()}
              title={formatExactly(atMs)}
            >
              {formatStep(atMs)}
            </time>
          )}
          {tookMs !== undefined && (
            <span class="muted small">
              {durationLabel(id, state, formatRunTime(tookMs))}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

function durationLabel(
  id: TimelineStep["id"],
  state: TimelineStep["state"],
  duration: string,
): string {
  const isCurrent = state === "current";
  if (id === "queued") {
    return isCurrent
      ? messages.waitingFor({ duration })
      : messages.queuedFor({ duration });
  }
  if (id !== "app") return messages.stepTook({ duration });
  return isCurrent
    ? messages.runningFor({ duration })
    : messages.ranFor({ duration });
}
