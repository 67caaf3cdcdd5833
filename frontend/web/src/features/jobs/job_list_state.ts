// The list of the user's jobs. Two sources change it: the stream, which is
// authoritative, and responses to single calls, which may be older.
import { type Job, JobState, type WatchJobsResponse } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";

export interface JobList {
  readonly loaded: boolean; // false until the first snapshot
  readonly clusters: readonly string[]; // whose snapshots were received
  readonly jobs: readonly Job[]; // newest first
}

export const kNoJobsYet: JobList = { loaded: false, clusters: [], jobs: [] };

// `cluster`: where the message comes from; empty: there is one cluster.
export function applyWatch(
  list: JobList,
  message: WatchJobsResponse,
  cluster = "",
): JobList {
  if (message.snapshot) {
    const others = list.jobs.filter(
      (job) => cluster && job.cluster !== cluster,
    );
    return {
      loaded: true,
      clusters: [...new Set([...list.clusters, cluster])],
      jobs: sorted([...others, ...message.jobs]),
    };
  }
  if (message.jobs.length === 0) return list;
  return { ...list, jobs: merged(list.jobs, message.jobs) };
}

// A response to SubmitJob or StopJob can arrive after the stream has reported a
// later state. It never moves a job back to an earlier state.
export function applyAnswer(list: JobList, job: Job): JobList {
  const known = list.jobs.find((other) => keyOf(other) === keyOf(job));
  if (known && known.state > job.state) return list;
  return { ...list, jobs: merged(list.jobs, [job]) };
}

// Identifies a job among those of all clusters.
export function keyOf({ cluster, id }: Job): string {
  return `${cluster}/${id}`;
}

export function isLive(job: Job): boolean {
  return job.state !== JobState.ENDED;
}

// Changes when a job has ended; empty: not known yet.
export function endedEpochOf({ loaded, jobs }: JobList): string {
  if (!loaded) return "";
  const ended = jobs.filter((job) => !isLive(job)).map(keyOf);
  return `ended: ${ended.sort().join(" ")}`;
}

function merged(old: readonly Job[], changed: readonly Job[]): Job[] {
  const byKey = new Map(old.map((job) => [keyOf(job), job]));
  for (const job of changed) byKey.set(keyOf(job), job);
  return sorted([...byKey.values()]);
}

function sorted(jobs: readonly Job[]): Job[] {
  const age = (job: Job) => msOf(job.createdAt) ?? 0;
  return [...jobs].sort((a, b) => age(b) - age(a) || (a.id < b.id ? 1 : -1));
}
