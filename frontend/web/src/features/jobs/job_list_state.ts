// The list of the user's jobs. Two sources change it: the stream, which is
// authoritative, and responses to single calls, which may be older.
import { type Job, JobState, type WatchJobsResponse } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";

export interface JobList {
  readonly loaded: boolean; // false until the first snapshot
  readonly jobs: readonly Job[]; // newest first
}

export const kNoJobsYet: JobList = { loaded: false, jobs: [] };

export function applyWatch(list: JobList, message: WatchJobsResponse): JobList {
  if (message.snapshot) return { loaded: true, jobs: sorted(message.jobs) };
  if (message.jobs.length === 0) return list;
  return { ...list, jobs: merged(list.jobs, message.jobs) };
}

// A response to SubmitJob or StopJob can arrive after the stream has reported a
// later state. It never moves a job back to an earlier state.
export function applyAnswer(list: JobList, job: Job): JobList {
  const known = list.jobs.find(({ id }) => id === job.id);
  if (known && known.state > job.state) return list;
  return { ...list, jobs: merged(list.jobs, [job]) };
}

export function isLive(job: Job): boolean {
  return job.state !== JobState.ENDED;
}

function merged(old: readonly Job[], changed: readonly Job[]): Job[] {
  const byId = new Map(old.map((job) => [job.id, job]));
  for (const job of changed) byId.set(job.id, job);
  return sorted([...byId.values()]);
}

function sorted(jobs: readonly Job[]): Job[] {
  const age = (job: Job) => msOf(job.createdAt) ?? 0;
  return [...jobs].sort((a, b) => age(b) - age(a) || (a.id < b.id ? 1 : -1));
}
