// The actions that an administrator can take on a user's job in its current
// state.
import { type Job, JobState } from "#proto/jobs";
import { messages } from "#messages/admin";

export type JobAction = "stop" | "hold" | "release" | "extend" | "log";

export interface JobActionLabel {
  readonly label: string; // label of the button
  readonly title: (of: { job: string; owner: string }) => string;
  readonly text: string; // consequence, shown in the dialog
  readonly confirm: string;
  readonly done: (of: { job: string; owner: string }) => string;
}

export const kJobActions: Record<JobAction, JobActionLabel> = {
  stop: {
    label: messages.stop,
    title: messages.stopJobQuestion,
    text: `${messages.theJobIsCancelled} ${messages.theOwnerSeesTheReason}`,
    confirm: messages.stopJob,
    done: messages.stopJobDone,
  },
  hold: {
    label: messages.hold,
    title: messages.holdJobQuestion,
    text: `${messages.theJobDoesNotStart} ${messages.theOwnerSeesTheReason}`,
    confirm: messages.holdJob,
    done: messages.holdJobDone,
  },
  release: {
    label: messages.release,
    title: messages.releaseJobQuestion,
    text: `${messages.theJobReturnsToThe} ${messages.theOwnerSeesTheReason}`,
    confirm: messages.releaseJob,
    done: messages.releaseJobDone,
  },
  extend: {
    label: messages.extend,
    title: messages.extendJobQuestion,
    text: `${messages.theLimitsOfTheOwner} ${messages.theOwnerSeesTheReason}`,
    confirm: messages.extendJob,
    done: messages.extendJobDone,
  },
  log: {
    label: messages.log,
    title: messages.readLogQuestion,
    text: `${messages.logsCanContainPersonalData} ${messages.theOwnerSeesTheReason}`,
    confirm: messages.showLog,
    done: messages.readLogDone,
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
