// What an administrator can do with somebody's job, as it is now.
import { type Job, JobState } from "#proto/jobs";

export type JobAction = "stop" | "hold" | "release" | "extend" | "log";

export interface JobActionLabel {
  readonly label: string; // of its button
  readonly title: (job: string, owner: string) => string;
  readonly text: string; // what happens
  readonly confirm: string;
  readonly done: string; // of the job
}

const kTold = "The owner reads the reason on the job and in a notification.";

export const kJobActions: Record<JobAction, JobActionLabel> = {
  stop: {
    label: "Stop",
    title: (job, owner) => `Stop ${job} of ${owner}?`,
    text: `The job is cancelled; what it has not saved is lost. ${kTold}`,
    confirm: "Stop the job",
    done: "Stopped",
  },
  hold: {
    label: "Hold",
    title: (job, owner) => `Hold ${job} of ${owner}?`,
    text: `The job does not start until an administrator releases it. ${kTold}`,
    confirm: "Hold the job",
    done: "Held",
  },
  release: {
    label: "Release",
    title: (job, owner) => `Release ${job} of ${owner}?`,
    text: `The job waits for its turn again. ${kTold}`,
    confirm: "Release the job",
    done: "Released",
  },
  extend: {
    label: "Extend",
    title: (job, owner) => `Extend ${job} of ${owner}?`,
    text: `Within the owner's limits and the site's. ${kTold}`,
    confirm: "Extend the job",
    done: "Extended",
  },
  log: {
    label: "Log",
    title: (job, owner) => `Read the log of ${job} of ${owner}?`,
    text: `A log can have personal data in it. ${kTold}`,
    confirm: "Read the log",
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

// Whole minutes; undefined: not a number of them.
export function minutesOf(text: string): number | undefined {
  const minutes = Number(text.trim());
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= kMaxMinutes
    ? minutes
    : undefined;
}
