// Operations on several entries: upload, download, copy, move, delete.
import {
  archiveAddress,
  cancelTask,
  copyEntry,
  deleteEntry,
  fileAddress,
  listFolder,
  moveEntry,
} from "./api/client";
import { asApiError, errorOfTask } from "./api/errors";
import type { Task } from "./api/types";
import type { FilesPage } from "./files_page";
import type { Row } from "./folder/rows";
import { text } from "./language/text";
import { shownName } from "./paths/names";
import {
  baseOf,
  normalizeName,
  rawOfText,
  type RawPath,
  textOfRaw,
} from "./paths/raw_path";
import { Store } from "./store";
import { kNoTasks, tasksReducer } from "./tasks/task_state";
import { TaskWatch } from "./tasks/task_watch";
import { planTransfer, type TransferKind } from "./tasks/transfer";
import type { Answer } from "./uploads/conflict";
import type { ChosenFiles } from "./uploads/dropped";
import { planUpload } from "./uploads/upload_plan";
import { UploadQueue } from "./uploads/upload_queue";
import { hasEnded, kNoUploads, uploadsReducer } from "./uploads/upload_state";

const kBusyDelayMs = 500;
const kBusyTries = 60;
// Browsers drop downloads that start at the same moment.
const kDownloadDelayMs = 400;

export class FileOperations {
  readonly uploadStore = new Store(kNoUploads, uploadsReducer);
  readonly taskStore = new Store(kNoTasks, tasksReducer);
  readonly uploads: UploadQueue;
  readonly tasks: TaskWatch;

  constructor(private readonly page: FilesPage) {
    this.uploads = new UploadQueue(
      this.uploadStore,
      (name, remaining) => this.askConflict(name, remaining, true),
      (path) => page.changed(path),
    );
    this.tasks = new TaskWatch(this.taskStore, (ended) => this.report(ended));
  }

  isUploading(): boolean {
    return this.uploadStore.state.uploads.some((upload) => !hasEnded(upload));
  }

  async upload(chosen: ChosenFiles): Promise<void> {
    const { path, rows } = this.page.folder.state;
    const plan = planUpload(path, chosen.files, chosen.emptyFolders);
    const taken = rows.filter(({ kind }) => kind !== "folder");
    try {
      await this.uploads.add(plan, new Set(taken.map((row) => row.path)));
    } catch (error) {
      this.page.fail(text("upload_failed"), error);
    }
  }

  async download(rows: readonly Row[]): Promise<void> {
    const wanted = rows.filter(({ kind }) => kind !== "other");
    for (const [at, row] of wanted.entries()) {
      if (at > 0) await delay(kDownloadDelayMs);
      const anchor = document.createElement("a");
      anchor.href =
        row.kind === "folder"
          ? archiveAddress(row.path)
          : fileAddress(row.path);
      anchor.download = "";
      anchor.click();
    }
  }

  async remove(rows: readonly Row[]): Promise<void> {
    for (const { path } of rows) {
      await this.startTask(() => deleteEntry(path), text("delete_failed"));
    }
  }

  // Resolves when the tasks have started.
  async transfer(
    kind: TransferKind,
    paths: readonly RawPath[],
    folder: RawPath,
  ): Promise<void> {
    const failed = text(kind === "copy" ? "copy_failed" : "move_failed");
    try {
      const { entries } = await listFolder(folder);
      const taken = entries.map(({ raw }) => normalizeName(raw));
      const plan = await planTransfer(
        kind,
        paths,
        folder,
        taken,
        (name, rest) =>
          this.askConflict(shownName(textOfRaw(name)), rest, false),
      );
      for (const { path, to } of plan.transfers) {
        const start = kind === "copy" ? copyEntry : moveEntry;
        await this.startTask(() => start(path, to), failed);
      }
      if (plan.impossible.length > 0) {
        this.page.notify(failed, text("into_itself"));
      }
    } catch (error) {
      this.page.fail(failed, error);
    }
  }

  async paste(): Promise<void> {
    const { clipboard } = this.page.ui.state;
    if (!clipboard) return;
    if (clipboard.kind === "move") {
      this.page.ui.dispatch({ type: "set", change: { clipboard: undefined } });
    }
    const { path } = this.page.folder.state;
    await this.transfer(clipboard.kind, clipboard.paths, path);
  }

  take(kind: TransferKind, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const clipboard = { kind, paths: rows.map(({ path }) => path) };
    this.page.ui.dispatch({ type: "set", change: { clipboard } });
    const names = clipboard.paths.map(textOfRaw).join("\n");
    // The paths as text are a convenience; a browser may refuse it.
    navigator.clipboard?.writeText(names).catch(() => undefined);
    this.page.notify(
      text(kind === "copy" ? "taken_copy" : "taken_move", {
        count: rows.length,
      }),
    );
  }

  async cancel(task: Task): Promise<void> {
    try {
      await cancelTask(task.id);
    } catch (error) {
      if (asApiError(error).code !== "not_found") {
        this.page.fail(text("cancel_failed"), error);
      }
    }
    this.tasks.start();
  }

  private async startTask(
    start: () => Promise<string>,
    failed: string,
  ): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await start();
        this.tasks.start();
        return;
      } catch (error) {
        if (asApiError(error).code !== "busy" || tries >= kBusyTries) {
          this.page.fail(failed, error);
          return;
        }
        await delay(kBusyDelayMs);
      }
    }
  }

  private askConflict(
    name: string,
    remaining: number,
    canReplace: boolean,
  ): Promise<Answer> {
    const { ui } = this.page;
    return new Promise((resolve) => {
      const question = {
        type: "conflict" as const,
        name,
        remaining,
        canReplace,
        answer: (answer: Answer) => {
          ui.dispatch({ type: "answered", question });
          resolve(answer);
        },
      };
      ui.dispatch({ type: "ask", question });
    });
  }

  private report(ended: readonly Task[]): void {
    for (const { path, to, state, code, error } of ended) {
      this.page.changed(rawOfText(path));
      if (to) this.page.changed(rawOfText(to));
      if (state !== "failed") continue;
      const name = shownName(textOfRaw(baseOf(rawOfText(path))));
      const failure = errorOfTask(code, error);
      this.page.fail(text("task_failed", { name }), failure);
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
