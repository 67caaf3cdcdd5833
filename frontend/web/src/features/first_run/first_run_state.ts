// When the guide to the first job is shown, and which step is the current one.
import { type Job, JobState } from "#proto/jobs";

export type FirstRunStep = "start" | "wait" | "open";

const kStored = "carme-first-run";

// `jobs`: all in the user's list.
export function mayBeFirstRun(jobs: readonly Job[]): boolean {
  const [job] = jobs;
  return (
    jobs.length === 0 || (jobs.length === 1 && job!.state !== JobState.ENDED)
  );
}

export function stepOf(jobs: readonly Job[]): FirstRunStep {
  const [job] = jobs;
  if (!job) return "start";
  return job.state === JobState.READY ? "open" : "wait";
}

export function isFinished(): boolean {
  try {
    return localStorage.getItem(kStored) !== null;
  } catch {
    return false; // storage is disabled in this browser
  }
}

export function finish(): void {
  try {
    localStorage.setItem(kStored, "finished");
  } catch {
    // Then the guide ends with the first job that is in the history.
  }
}
