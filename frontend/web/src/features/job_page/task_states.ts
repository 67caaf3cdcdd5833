// The states of an array's tasks, as far as the counts and the ends of their
// logs tell them.
import type { ArrayProgress } from "#proto/jobs";
import { eventOf, parseLine } from "../jobs/log/log_lines";
import { unknownTasks } from "../jobs/array_labels";
import { messages } from "#messages/job_page";

export type TaskState =
  "failed" | "finished" | "running" | "unknown" | "waiting";

export interface TaskOutcome {
  readonly state: TaskState;
  readonly detail: string; // "exit code 3"; empty: none
}

// `tail`: the end of the task's log; undefined: it has none yet.
export function outcomeOf(
  tail: string | undefined,
  array: ArrayProgress,
): TaskOutcome {
  const whole = stateOfAll(array);
  if (tail === undefined) {
    const state = whole ?? (array.pending > 0 ? "waiting" : "unknown");
    return { state, detail: "" };
  }
  const events = tail
    .split("\n")
    .map(parseLine)
    .filter(({ atMs }) => atMs !== undefined)
    .map(eventOf);
  const end = events.filter(({ name }) => name === "batch job ended").pop();
  if (!end) {
    const state = whole ?? (array.running > 0 ? "running" : "unknown");
    return { state, detail: "" };
  }
  const { exit_code: code = "", signal = "0" } = end.fields;
  const bySignal = signal !== "0" && signal !== "";
  const failed = code !== "0" || bySignal;
  return {
    state: failed ? "failed" : "finished",
    detail: bySignal
      ? messages.signal({ signal })
      : failed
        ? messages.exitCode({ code: Number(code) })
        : "",
  };
}

// The state of every task, if all have the same.
export function stateOfAll(array: ArrayProgress): TaskState | undefined {
  const { total, pending, running, completed, failed } = array;
  if (total === 0 || unknownTasks(array) > 0) return undefined;
  if (completed === total) return "finished";
  if (failed === total) return "failed";
  if (running === total) return "running";
  if (pending === total) return "waiting";
  return undefined;
}

// The tasks that did not end well: of an ended array all that have not finished,
// so also those that were stopped without an end in their log. undefined: the
// states are not known well enough to name exactly these tasks.
export function failedTasks(
  tasks: readonly number[],
  outcomes: ReadonlyMap<number, TaskOutcome>,
  array: ArrayProgress,
): readonly number[] | undefined {
  if (tasks.some((task) => !outcomes.has(task))) return undefined;
  const isOver = array.pending + array.running + unknownTasks(array) === 0;
  const failed = tasks.filter((task) => {
    const state = outcomes.get(task)?.state;
    return isOver ? state !== "finished" : state === "failed";
  });
  return failed.length === array.failed ? failed : undefined;
}
