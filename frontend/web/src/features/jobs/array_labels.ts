// Labels for arrays: tasks and their progress.
import type { ArrayProgress, Job } from "#proto/jobs";
import { messages } from "#messages/jobs";

export function isBatch(job: Job): boolean {
  return job.spec?.batch !== undefined;
}

export function isArray(job: Job): boolean {
  return (job.spec?.batch?.array ?? "") !== "";
}

// Parses Slurm's index format, "0-3,8:…". The server has validated it.
export function tasksOf(array: string): number[] {
  const tasks: number[] = [];
  for (const item of (array.split("%")[0] ?? "").split(",")) {
    const match = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(item);
    if (!match) continue;
    const first = Number(match[1]);
    const last = Number(match[2] ?? first);
    const step = Math.max(1, Number(match[3] ?? 1));
    for (let i = first; i <= last && tasks.length < kMaxTasks; i += step) {
      tasks.push(i);
    }
  }
  return tasks;
}

const kMaxTasks = 100_000;

// The same tasks as Slurm's indices, in order: [1, 3, 4, 5] → "1,3-5". The limit
// of tasks at once is that of `array`: "…%2".
export function arrayOfTasks(tasks: readonly number[], array: string): string {
  const ranges: { first: number; last: number }[] = [];
  for (const task of [...tasks].sort((a, b) => a - b)) {
    const range = ranges[ranges.length - 1];
    if (range && task === range.last + 1) range.last = task;
    else ranges.push({ first: task, last: task });
  }
  const indices = ranges.map(({ first, last }) =>
    first === last ? `${first}` : `${first}-${last}`,
  );
  const atOnce = array.split("%")[1];
  return indices.join() + (atOnce ? `%${atOnce}` : "");
}

// Tasks whose state Slurm does not report.
export function unknownTasks(array: ArrayProgress): number {
  const { total, pending, running, completed, failed } = array;
  return Math.max(0, total - pending - running - completed - failed);
}

// "3 of 10 done · 2 running · 4 waiting · 1 failed or stopped".
export function arrayLabel(array: ArrayProgress): string {
  const { total, pending, running, completed, failed } = array;
  const unknown = unknownTasks(array);
  return [
    messages.tasksDone({ done: completed, total }),
    running > 0 && messages.tasksRunning({ count: running }),
    pending > 0 && messages.tasksWaiting({ count: pending }),
    failed > 0 && messages.tasksFailed({ count: failed }),
    unknown > 0 && messages.tasksUnknown({ count: unknown }),
  ]
    .filter(Boolean)
    .join(" · ");
}

// The summary of a batch job on its card: "make all", "~/run.sh", "4 tasks, at
// most 2 at once".
export function batchDetails(job: Job): string[] {
  const batch = job.spec?.batch;
  if (!batch) return [];
  const what = (batch.script || batch.command).split("\n")[0] ?? "";
  const facts = [
    what.length > kMaxDetail ? `${what.slice(0, kMaxDetail)}…` : what,
  ];
  if (job.array) {
    const atOnce = batch.array.split("%")[1];
    const { total } = job.array;
    facts.push(
      atOnce
        ? messages.tasksAtOnce({ count: total, atOnce })
        : messages.tasks({ count: total }),
    );
  }
  return facts;
}

const kMaxDetail = 40;
