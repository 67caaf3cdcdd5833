// The actions that an administrator can take on a user's job in its current
// state.
import { type Job, JobState } from "#proto/jobs";

export type JobAction = "stop" | "hold" | "release" | "extend" | "log";

export interface JobActionLabel {
  readonly label: string; // label of the button
  readonly title: (job: string, owner: string) => string;
  readonly text: string; // consequence, shown in the dialog
  readonly confirm: string;
  readonly done: string; // of the job
}

const kOwnerNotice =
  "The owner sees the reason on the job and in a notification.";

export const kJobActions: Record<JobAction, JobActionLabel> = {
  stop: {
    label: "Stop",
    title: (job, owner) => `Stop ${job} of ${owner}?`,
    text: `The job is cancelled. Unsaved work is lost. ${kOwnerNotice}`,
    confirm: "Stop job",
    done: "Stopped",
  },
  hold: {
    label: "Hold",
    title: (job, owner) => `Hold ${job} of ${owner}?`,
    text: `The job does not start until an administrator releases it. ${kOwnerNotice}`,
    confirm: "Hold job",
    done: "Held",
  },
  release: {
    label: "Release",
    title: (job, owner) => `Release ${job} of ${owner}?`,
    text: `The job returns to the queue. ${kOwnerNotice}`,
    confirm: "Release job",
    done: "Released",
  },
  extend: {
    label: "Extend",
    title: (job, owner) => `Extend ${job} of ${owner}?`,
    text: `The limits of the owner and of the site apply. ${kOwnerNotice}`,
    confirm: "Extend job",
    done: "Extended",
  },
  log: {
    label: "Log",
    title: (job, owner) => `Read the log of ${job} of ${owner}?`,
    text: `Logs can contain personal data. ${kOwnerNotice}`,
    confirm: "Show log",
    done: "Read the log of",
  },
};

export function jobActions(job: Job): readonly JobAction[] {
  const actions: JobAction[] = [];
  const waits = job.state === JobState.PENDING;
  const runs = job.state === JobState.READY || job.state === JobState.STARTING;
  if (runs) actions.push("log", "extend");
  if (waits) actions.push(job.held ? "release" : "hold");
  if (job.state !== JobState.STOPPING && job.state !== JobState.ENDED) {
    actions.push("stop");
  }
  return actions;
}

export const kMaxMinutes = 7 * 24 * 60;

// Whole minutes; undefined if the text is not a positive whole number.
export function minutesOf(text: string): number | undefined {
  const minutes = Number(text.trim());
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= kMaxMinutes
    ? minutes
    : undefined;
}
