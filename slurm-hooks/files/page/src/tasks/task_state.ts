// The server's background tasks, as far as this page shows them.
import type { Task } from "../api/types";

export interface TasksState {
  tasks: readonly Task[]; // newest first
  dismissed: ReadonlySet<string>;
}

export type TaskAction =
  { type: "listed"; tasks: readonly Task[] } | { type: "clear ended" };

export const kNoTasks: TasksState = { tasks: [], dismissed: new Set() };

export function tasksReducer(
  state: TasksState,
  action: TaskAction,
): TasksState {
  switch (action.type) {
    case "listed": {
      const tasks = action.tasks
        .filter(({ id }) => !state.dismissed.has(id))
        .sort((a, b) => Number(b.id) - Number(a.id));
      return { ...state, tasks };
    }
    case "clear ended": {
      const ended = state.tasks.filter(({ state }) => state !== "running");
      const dismissed = new Set([
        ...state.dismissed,
        ...ended.map(({ id }) => id),
      ]);
      const tasks = state.tasks.filter(({ state }) => state === "running");
      return { tasks, dismissed };
    }
  }
}

export function runningTasks(tasks: readonly Task[]): Task[] {
  return tasks.filter(({ state }) => state === "running");
}

// Those that ran in the earlier list or are new, and have ended.
export function newlyEnded(
  earlier: readonly Task[],
  now: readonly Task[],
): Task[] {
  const ended = new Set(
    earlier.filter(({ state }) => state !== "running").map(({ id }) => id),
  );
  return now.filter(({ id, state }) => state !== "running" && !ended.has(id));
}
