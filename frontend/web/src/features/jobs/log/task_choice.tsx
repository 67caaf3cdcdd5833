// Selects the task of an array whose log is shown.
import type { Job } from "#proto/jobs";
import { tasksOf } from "../array_labels";
import { messages } from "#messages/jobs";

export function TaskChoice(props: {
  job: Job;
  task: number;
  onTask(task: number): void;
}) {
  const tasks = tasksOf(props.job.spec?.batch?.array ?? "");
  return (
    <label class="task-choice">
      {messages.task}{" "}
      <select
        data-testid="log-task"
        value={String(props.task)}
        onChange={(event) => props.onTask(Number(event.currentTarget.value))}
      >
        {tasks.map((task) => (
          <option key={task} value={String(task)}>
            {task}
          </option>
        ))}
      </select>
    </label>
  );
}
