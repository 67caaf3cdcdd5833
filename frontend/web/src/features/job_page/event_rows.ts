// The events of a job from all sources, the newest first.
import { type Job, JobState } from "#proto/jobs";
import type { Notification } from "#proto/notification";
import type { NodeEvent } from "#proto/samples";
import { msOf } from "../../lib/format/moment";
import { adminNote } from "../jobs/admin_labels";
import { endLabel, hasFailed } from "../jobs/job_labels";
import type { LogEvent } from "./startup_log";
import { messages } from "#messages/job_page";

export interface EventRow {
  readonly atMs: number;
  readonly text: string;
  readonly tone: "neutral" | "bad" | "info";
}

export function eventRows(sources: {
  readonly job: Job;
  readonly log: readonly LogEvent[];
  readonly notifications: readonly Notification[];
  readonly nodes: readonly NodeEvent[];
}): EventRow[] {
  const { job, log, notifications, nodes } = sources;
  const rows: (EventRow | undefined)[] = [
    at(msOf(job.createdAt), messages.submitted),
    at(allocatedMs(job), allocatedText(job)),
    ...log.map(({ atMs, text }) => at(atMs, text)),
    ...job.adminActions.map((action) =>
      at(msOf(action.at), adminNote(action), "info"),
    ),
    ...notifications
      .filter(({ subject }) => subject === job.id)
      .map((each) => at(msOf(each.at), each.text, "info")),
    ...nodes.map(({ timeMs, text, kind }) =>
      at(Number(timeMs), text || kind, "bad"),
    ),
    job.state === JobState.ENDED
      ? at(
          msOf(job.endsAt),
          [messages.endedAs({ outcome: endLabel(job) }), job.reason]
            .filter(Boolean)
            .join(". "),
          hasFailed(job) ? "bad" : "neutral",
        )
      : undefined,
  ];
  return rows
    .filter((row): row is EventRow => row !== undefined)
    .sort((a, b) => a.atMs - b.atMs)
    .reverse();
}

// Slurm has whole seconds.
function allocatedMs(job: Job): number | undefined {
  const startedMs = msOf(job.startedAt);
  if (startedMs === undefined) return undefined;
  return Math.max(startedMs, msOf(job.createdAt) ?? startedMs);
}

function allocatedText({ nodes }: Job): string {
  return [messages.stepAllocated, nodes.join(", ")].filter(Boolean).join(": ");
}

function at(
  atMs: number | undefined,
  text: string,
  tone: EventRow["tone"] = "neutral",
): EventRow | undefined {
  return atMs === undefined ? undefined : { atMs, text, tone };
}
