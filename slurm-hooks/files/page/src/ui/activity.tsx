// Uploads and background tasks, below the table while there are any.
import { useState } from "preact/hooks";
import type { Task } from "../api/types";
import type { FilesPage } from "../files_page";
import { codeText } from "../language/error_text";
import { formatBytes, formatDuration, text } from "../language/text";
import { errorOfTask } from "../api/errors";
import { shownName } from "../paths/names";
import { baseOf, rawOfText, textOfRaw } from "../paths/raw_path";
import { useStore } from "../store";
import { runningTasks } from "../tasks/task_state";
import { hasEnded, type Upload, uploadTotals } from "../uploads/upload_state";
import { Icon, type IconName } from "./icon";

const kMaxLines = 100;

export function Activity({ page }: { page: FilesPage }) {
  const { uploads, bytesPerSecond } = useStore(page.files.uploadStore);
  const { tasks } = useStore(page.files.taskStore);
  const [isOpen, setIsOpen] = useState(true);
  if (uploads.length === 0 && tasks.length === 0) return null;
  const totals = uploadTotals(uploads);
  const running = runningTasks(tasks).length + totals.running;
  const left = totals.totalBytes - totals.sentBytes;
  const isSending = totals.running > 0 && bytesPerSecond > 0;
  // Those that run and failed first: a list of thousands is cut.
  const ordered = [...uploads].sort((a, b) => rank(a) - rank(b));
  const clear = () => {
    page.files.uploads.clearEnded();
    page.files.taskStore.dispatch({ type: "clear ended" });
  };
  return (
    <section class="activity" aria-label={text("activity")}>
      <div class="activity-head">
        <button
          type="button"
          class="link-button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="chevron" />
          {running > 0
            ? text("activity_running", { count: running })
            : text("activity_done")}
        </button>
        {totals.failed > 0 && (
          <span class="problem">
            {text("failed_count", { count: totals.failed })}
          </span>
        )}
        {isSending && (
          <span class="small muted activity-speed">
            {text("speed", {
              speed: formatBytes(bytesPerSecond),
              left: formatDuration(left / bytesPerSecond),
            })}
          </span>
        )}
        {totals.running > 1 && (
          <button
            type="button"
            class="button button-small"
            onClick={() => page.files.uploads.cancelAll()}
          >
            {text("cancel_all")}
          </button>
        )}
        {running < uploads.length + tasks.length && (
          <button type="button" class="button button-small" onClick={clear}>
            {text("clear")}
          </button>
        )}
      </div>
      {totals.running > 0 && (
        <Bar
          label={text("uploads")}
          share={
            totals.totalBytes > 0 ? totals.sentBytes / totals.totalBytes : 0
          }
        />
      )}
      {isOpen && (
        <ul class="activity-list" aria-label={text("activity")} tabIndex={0}>
          {tasks.map((task) => (
            <TaskLine key={`task-${task.id}`} page={page} task={task} />
          ))}
          {ordered.slice(0, kMaxLines).map((upload) => (
            <UploadLine key={upload.id} page={page} upload={upload} />
          ))}
          {ordered.length > kMaxLines && (
            <li class="muted small">
              {text("and_more", { count: ordered.length - kMaxLines })}
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function rank({ status }: Upload): number {
  if (status === "failed") return 0;
  if (status === "queued") return 2;
  return status === "done" || status === "skipped" || status === "cancelled"
    ? 3
    : 1;
}

function Bar({ label, share }: { label: string; share: number }) {
  const percent = Math.round(Math.min(1, share) * 100);
  return (
    <div
      class="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  );
}

const kUploadIcons: Partial<Record<Upload["status"], IconName>> = {
  done: "check",
  failed: "alert",
  waiting: "cloud-off",
  skipped: "cross",
  cancelled: "cross",
};

function UploadLine({ page, upload }: { page: FilesPage; upload: Upload }) {
  const { id, path, size, sent, status, error } = upload;
  const name = shownName(textOfRaw(baseOf(path)));
  const isSending = status === "sending" || status === "waiting";
  const { uploads } = page.files;
  return (
    <li class={`line line-${status}`}>
      <Icon name={kUploadIcons[status] ?? "upload"} />
      <span class="line-name" title={shownName(textOfRaw(path))}>
        <bdi>{name}</bdi>
      </span>
      <span class="line-state">
        {status === "sending"
          ? `${formatBytes(sent)} / ${formatBytes(size)}`
          : status === "failed" && error
            ? codeText(error.code)
            : text(`upload_${status}`)}
      </span>
      {!hasEnded(upload) && (
        <button
          type="button"
          class="icon-button"
          aria-label={text("cancel_named", { name })}
          title={text("cancel")}
          onClick={() => uploads.cancel(id)}
        >
          <Icon name="cross" />
        </button>
      )}
      {(status === "failed" || status === "cancelled") && (
        <button
          type="button"
          class="icon-button"
          aria-label={text("retry_named", { name })}
          title={text("retry")}
          onClick={() => uploads.retry(id)}
        >
          <Icon name="refresh" />
        </button>
      )}
      {isSending && <Bar label={name} share={size > 0 ? sent / size : 1} />}
    </li>
  );
}

const kTaskIcons: Record<Task["kind"], IconName> = {
  copy: "copy",
  move: "move",
  delete: "trash",
};

function TaskLine({ page, task }: { page: FilesPage; task: Task }) {
  const { kind, state, files, bytes, code } = task;
  const name = shownName(textOfRaw(baseOf(rawOfText(task.path))));
  const isRunning = state === "running";
  return (
    <li class={`line line-${state}`}>
      <Icon
        name={
          isRunning ? kTaskIcons[kind] : state === "done" ? "check" : "alert"
        }
      />
      <span class="line-name" title={shownName(task.path)}>
        {text(`task_${kind}`)} <bdi>{name}</bdi>
      </span>
      <span class="line-state">
        {state === "failed"
          ? codeText(errorOfTask(code).code)
          : state === "cancelled"
            ? text("upload_cancelled")
            : text("task_files", { count: files, size: formatBytes(bytes) })}
      </span>
      {isRunning && (
        <button
          type="button"
          class="icon-button"
          aria-label={text("cancel_named", { name })}
          title={text("cancel")}
          onClick={() => void page.files.cancel(task)}
        >
          <Icon name="cross" />
        </button>
      )}
      {isRunning && <span class="progress-line" />}
    </li>
  );
}
