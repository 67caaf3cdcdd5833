// The pending jobs that a user may see, in the order of their expected start.
import type { Queue, QueuePlace } from "#proto/cluster_utilization";
import { type Job, JobState } from "#proto/jobs";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { currentActivity, isWaiting } from "../../jobs/job_labels";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

export interface QueueRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly isMine: boolean;
  readonly partition: string;
  readonly ahead: number | undefined; // only known of the user's own jobs
  readonly reason: string; // for display
  readonly startMs: number | undefined; // absent: no estimate
}

// `others`: pending jobs of all users, if the user may see them; they may
// contain the user's own.
export function queueRows(of: {
  readonly own: readonly Job[];
  readonly others: readonly Job[];
  readonly places: readonly QueuePlace[];
}): QueueRow[] {
  const own = of.own.filter(isWaiting);
  const mine = new Set(own.map(({ id }) => id));
  const places = new Map(of.places.map((place) => [place.jobId, place]));
  const others = of.others.filter(({ id }) => !mine.has(id));
  const rows = [...own, ...others].map((job) => {
    const place = places.get(job.id);
    return {
      id: job.id,
      name: job.spec?.name ?? "",
      owner: job.owner,
      isMine: mine.has(job.id),
      partition: place?.partition ?? job.spec?.partition ?? "",
      ahead: place?.ahead,
      reason: currentActivity(job),
      startMs: msOf(place?.expectedStart) ?? msOf(job.expectedStart),
    };
  });
  const start = (row: QueueRow) => row.startMs ?? Infinity;
  const ahead = (row: QueueRow) => row.ahead ?? Infinity;
  return rows.sort(
    (a, b) => compare(start(a), start(b)) || compare(ahead(a), ahead(b)),
  );
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

export function jobsOnNode(jobs: readonly Job[], node: string): Job[] {
  return jobs.filter(
    ({ state, nodes }) =>
      state !== JobState.ENDED &&
      state !== JobState.PENDING &&
      nodes.includes(node),
  );
}

// "3 of 12"; empty: not known.
export function positionLabel(
  { ahead, partition }: QueueRow,
  queues: readonly Queue[],
): string {
  if (ahead === undefined) return "";
  const waiting = queues.find(
    (queue) => queue.partition === partition,
  )?.waiting;
  return messages.usedOf({
    used: String(ahead + 1),
    total: String(Math.max(waiting ?? 0, ahead + 1)),
  });
}

export function startLabel({ startMs }: QueueRow, now: number): string {
  return startMs === undefined
    ? cluster.noEstimate
    : formatMoment(Math.max(startMs, now), now);
}
