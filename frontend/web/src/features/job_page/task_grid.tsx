// The tasks of an array with their states. A task opens its log.
import { useState } from "preact/hooks";
import type { Job, JobSpec } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { tasksOf } from "../jobs/array_labels";
import { mayStartAgain, specOfTasks } from "./start_again";
import { failedTasks, type TaskOutcome, type TaskState } from "./task_states";
import { useTaskOutcomes } from "./use_task_outcomes";
import { messages } from "#messages/job_page";

const kShown = 500;
const kUnknown: TaskOutcome = { state: "unknown", detail: "" };

const kStates: Record<TaskState, string> = {
  failed: messages.taskStateFailed,
  finished: messages.taskStateFinished,
  running: messages.taskStateRunning,
  unknown: messages.taskStateUnknown,
  waiting: messages.taskStateWaiting,
};

export function TaskGrid(props: {
  job: Job;
  mayRead: boolean;
  chosen?: number;
  onTask(task: number): void;
  onStart?(spec: JobSpec): void; // fills in the start form
}) {
  const { job, mayRead, chosen, onTask, onStart } = props;
  const [onlyFailed, setOnlyFailed] = useState(false);
  const tasks = tasksOf(job.spec?.batch?.array ?? "");
  const outcomes = useTaskOutcomes(job, tasks, mayRead);
  const outcome = (task: number) => outcomes.get(task) ?? kUnknown;
  const failed = tasks.filter((task) => outcome(task).state === "failed");
  const toRerun = job.array && failedTasks(tasks, outcomes, job.array);
  const shown = (onlyFailed ? failed : tasks).slice(0, kShown);
  return (
    <div class="tasks">
      <div class="button-row" role="group" aria-label={messages.tasksShown}>
        {[false, true].map((each) => (
          <button
            key={String(each)}
            class="chip-button"
            type="button"
            data-testid={each ? "tasks-failed" : "tasks-all"}
            aria-pressed={onlyFailed === each}
            onClick={() => setOnlyFailed(each)}
          >
            {each
              ? messages.failedTasks({ count: failed.length })
              : messages.allTasks({ count: tasks.length })}
          </button>
        ))}
        {onStart && toRerun && toRerun.length > 0 && mayStartAgain(job) && (
          <button
            class="button button-small"
            type="button"
            data-testid="rerun-failed"
            title={messages.rerunAbout}
            onClick={() => onStart(specOfTasks(job, toRerun))}
          >
            <Icon name="play" />{" "}
            {messages.rerunTasks({ count: toRerun.length })}
          </button>
        )}
      </div>
      {shown.length === 0 && <p class="muted">{messages.noSuchTasks}</p>}
      <ul class="task-grid" data-testid="task-grid">
        {shown.map((task) => {
          const { state, detail } = outcome(task);
          const text = [detail, kStates[state]].filter(Boolean).join(", ");
          return (
            <li key={task}>
              <button
                type="button"
                class="task"
                data-testid={`task-${task}`}
                data-state={state}
                aria-pressed={task === chosen}
                aria-label={messages.taskState({ task, state: text })}
                title={text}
                onClick={() => onTask(task)}
              >
                <span class="task-number">{task}</span>{" "}
                {detail && <span class="task-detail">{detail}</span>}
              </button>
            </li>
          );
        })}
      </ul>
      {tasks.length > kShown && !onlyFailed && (
        <p class="muted small">
          {messages.firstTasks({ shown: kShown, total: tasks.length })}
        </p>
      )}
    </div>
  );
}
