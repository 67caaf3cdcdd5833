// The steps of a job from the queue to its end, with their times.
import { type Job, JobState } from "#proto/jobs";
import { msOf } from "../../lib/format/moment";
import { isArray, isBatch } from "./array_labels";
import { endLabel, hasFailed } from "./job_labels";
import { messages } from "#messages/jobs";

export interface TimelineStep {
  readonly id: "queued" | "allocated" | "container" | "app" | "ended";
  readonly title: string;
  readonly state: "done" | "current" | "coming" | "failed";
  readonly atMs?: number; // absent: not reached, or not known
  readonly tookMs?: number; // until the next known step, or until now
}

// `containerMs`: when the container started; undefined: not known.
export function timelineOf(
  job: Job,
  appName: string,
  containerMs: number | undefined,
  now: number,
): TimelineStep[] {
  const createdMs = msOf(job.createdAt);
  const startedMs = msOf(job.startedAt);
  const readyMs = msOf(job.readyAt);
  const hasEnded = job.state === JobState.ENDED;
  const endedMs = hasEnded ? msOf(job.endsAt) : undefined;
  const runs = readyMs !== undefined || job.state === JobState.READY;
  const steps: (Omit<TimelineStep, "state" | "tookMs"> & {
    readonly isReached: boolean;
  })[] = [
    step("queued", messages.stepQueued, createdMs, true),
    step(
      "allocated",
      messages.stepAllocated,
      startedMs,
      startedMs !== undefined,
    ),
  ];
  if (hasContainer(job)) {
    const isReached = runs || containerMs !== undefined;
    steps.push(
      step("container", messages.stepContainer, containerMs, isReached),
    );
  }
  const running = isBatch(job)
    ? messages.stepRunning
    : messages.stepApp({ app: appName });
  steps.push(step("app", running, readyMs, runs));
  const reached = hasEnded ? steps.filter(({ isReached }) => isReached) : steps;
  const shown = hasEnded
    ? [...reached, step("ended", endLabel(job), endedMs, true)]
    : reached;
  const last = shown.filter(({ isReached }) => isReached).length - 1;
  return shown.map(({ id, title, atMs, isReached }, at) => {
    const nextMs = shown.slice(at + 1).find((next) => next.atMs)?.atMs;
    const untilMs = nextMs ?? (hasEnded ? undefined : now);
    const isLast = id === "ended";
    return {
      id,
      title,
      ...(atMs !== undefined && { atMs }),
      state: stateOf(job, id, isReached, at === last),
      ...(atMs !== undefined &&
        isReached &&
        !isLast &&
        untilMs !== undefined && { tookMs: Math.max(0, untilMs - atMs) }),
    };
  });
}

function step(
  id: TimelineStep["id"],
  title: string,
  atMs: number | undefined,
  isReached: boolean,
) {
  return { id, title, isReached, ...(atMs !== undefined && { atMs }) };
}

function stateOf(
  job: Job,
  id: TimelineStep["id"],
  isReached: boolean,
  isLastReached: boolean,
): TimelineStep["state"] {
  if (id === "ended") return hasFailed(job) ? "failed" : "done";
  if (!isReached) return "coming";
  return isLastReached && job.state !== JobState.ENDED ? "current" : "done";
}

// An array's tasks start their containers one by one.
function hasContainer(job: Job): boolean {
  const { spec } = job;
  if (!spec || isArray(job)) return false;
  return (
    Boolean(spec.environment) || (spec.image !== "" && spec.image !== "none")
  );
}
