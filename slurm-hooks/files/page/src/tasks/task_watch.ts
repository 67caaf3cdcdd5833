// Asks for the tasks while one runs, and not otherwise.
import { getTasks } from "../api/client";
import type { Task } from "../api/types";
import type { Store } from "../store";
import {
  newlyEnded,
  runningTasks,
  type TaskAction,
  type TasksState,
} from "./task_state";

const kFirstMs = 150;
const kMaxMs = 1000;

export class TaskWatch {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delayMs = kFirstMs;
  private isFirst = true;

  constructor(
    private readonly store: Store<TasksState, TaskAction>,
    private readonly onEnded: (tasks: Task[]) => void,
  ) {}

  // After a task was started, and when the page is opened. Short tasks end
  // soon, so that the first requests follow each other quickly.
  start(): void {
    this.delayMs = kFirstMs;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), 0);
  }

  private async poll(): Promise<void> {
    let isRunning = true;
    try {
      const tasks = await getTasks();
      const ended = newlyEnded(this.store.state.tasks, tasks);
      const earlier = this.store.state.dismissed;
      // What ended before the page was opened is not news.
      if (this.isFirst) {
        this.store.dispatch({ type: "listed", tasks });
        this.store.dispatch({ type: "clear ended" });
      } else {
        this.store.dispatch({ type: "listed", tasks });
        const news = ended.filter(({ id }) => !earlier.has(id));
        if (news.length > 0) this.onEnded(news);
      }
      this.isFirst = false;
      isRunning = runningTasks(tasks).length > 0;
    } catch {
      // The next poll tries again.
    }
    this.delayMs = Math.min(kMaxMs, this.delayMs * 1.5);
    clearTimeout(this.timer);
    if (isRunning) {
      this.timer = setTimeout(() => void this.poll(), this.delayMs);
    }
  }
}
