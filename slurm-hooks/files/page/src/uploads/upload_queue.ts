// Runs uploads, several at once, and writes their progress to the store.
import { createFolder, discardUpload, receivedBytes } from "../api/client";
import { ApiError, asApiError } from "../api/errors";
import { sendBytes } from "../api/send_bytes";
import { shownName } from "../paths/names";
import { baseOf, type RawPath, textOfRaw } from "../paths/raw_path";
import type { Store } from "../store";
import { type Ask, ConflictQuestions } from "./conflict";
import { SpeedMeter } from "./speed";
import { uploadFile, type UploadCalls } from "./upload_file";
import type { UploadPlan } from "./upload_plan";
import {
  hasEnded,
  type Upload,
  type UploadAction,
  type UploadChange,
  type UploadsState,
  uploadTotals,
} from "./upload_state";

const kAtOnce = 3;
const kFlushMs = 200;

interface Job {
  id: number;
  file: File;
  path: RawPath;
  questions: ConflictQuestions;
  control: AbortController;
  isTaken: boolean;
}

const kCalls: UploadCalls = {
  send: sendBytes,
  received: receivedBytes,
  discard: discardUpload,
  // The end of the wait comes early when the browser is online again.
  wait: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        removeEventListener("online", end);
        signal.removeEventListener("abort", end);
        if (signal.aborted) reject(new ApiError("cancelled"));
        else resolve();
      };
      const timer = setTimeout(end, delayMs);
      addEventListener("online", end);
      signal.addEventListener("abort", end);
    }),
};

export class UploadQueue {
  private nextId = 1;
  private readonly queue: Job[] = [];
  private readonly jobs = new Map<number, Job>();
  private active = 0;
  private changes = new Map<number, UploadChange>();
  private flushTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly speed = new SpeedMeter();

  constructor(
    private readonly store: Store<UploadsState, UploadAction>,
    private readonly ask: Ask,
    private readonly onArrived: (path: RawPath) => void,
  ) {}

  // Rejects when a folder cannot be created. `taken` are paths that exist.
  async add(plan: UploadPlan, taken: ReadonlySet<RawPath>): Promise<void> {
    for (const folder of plan.folders) {
      try {
        await createFolder(folder);
        this.onArrived(folder);
      } catch (error) {
        // Files are added to a folder that exists.
        if (asApiError(error).code !== "exists") throw error;
      }
    }
    const questions = new ConflictQuestions(this.ask);
    const added = plan.files.map(({ file, path }): Upload => {
      const id = this.nextId++;
      const control = new AbortController();
      const isTaken = taken.has(path);
      const job = { id, file, path, questions, control, isTaken };
      this.jobs.set(id, job);
      this.queue.push(job);
      return { id, path, size: file.size, sent: 0, status: "queued" };
    });
    this.store.dispatch({ type: "add", uploads: added });
    this.start();
  }

  cancel(id: number): void {
    const job = this.jobs.get(id);
    if (!job) return;
    const at = this.queue.indexOf(job);
    if (at >= 0) {
      this.queue.splice(at, 1);
      this.change(id, { status: "cancelled" });
    }
    job.control.abort();
  }

  cancelAll(): void {
    for (const upload of this.store.state.uploads) {
      if (!hasEnded(upload)) this.cancel(upload.id);
    }
  }

  retry(id: number): void {
    const job = this.jobs.get(id);
    if (!job || this.queue.includes(job)) return;
    job.control = new AbortController();
    job.isTaken = false;
    this.queue.push(job);
    this.change(id, { status: "queued", sent: 0 });
    this.start();
  }

  clearEnded(): void {
    this.flush();
    this.store.dispatch({ type: "clear ended" });
    const kept = new Set(this.store.state.uploads.map(({ id }) => id));
    for (const id of this.jobs.keys()) if (!kept.has(id)) this.jobs.delete(id);
  }

  private start(): void {
    while (this.active < kAtOnce) {
      const job = this.queue.shift();
      if (!job) return;
      this.active += 1;
      void this.run(job).finally(() => {
        this.active -= 1;
        this.start();
      });
    }
  }

  private async run(job: Job): Promise<void> {
    const { id, file, questions } = job;
    const { signal } = job.control;
    this.change(id, { status: "sending" });
    try {
      const end = await uploadFile(
        file,
        job.path,
        kCalls,
        {
          onConflict: (path) => this.askAbout(job, path, questions),
          onPath: (path) => this.change(id, { path, sent: 0 }),
          onProgress: (sent) => this.change(id, { sent, status: "sending" }),
          onWaiting: (isWaiting) => {
            if (isWaiting) this.change(id, { status: "waiting" });
          },
        },
        signal,
        job.isTaken,
      );
      if (end === "skipped") {
        this.change(id, { status: "skipped" });
        return;
      }
      this.change(id, { status: "done", sent: file.size, path: end.path });
      this.onArrived(end.path);
    } catch (error) {
      const { code, detail } = asApiError(error);
      if (signal.aborted || code === "cancelled") {
        this.change(id, { status: "cancelled" });
      } else {
        this.change(id, { status: "failed", error: { code, detail } });
      }
    }
  }

  private askAbout(job: Job, path: RawPath, questions: ConflictQuestions) {
    this.change(job.id, { status: "asking" });
    const name = shownName(textOfRaw(baseOf(path)));
    // Those of the same upload that may ask the same.
    const remaining = () => {
      this.flush();
      return this.store.state.uploads.filter(
        (upload) =>
          upload.id !== job.id &&
          !hasEnded(upload) &&
          this.jobs.get(upload.id)?.questions === questions,
      ).length;
    };
    return questions.choiceFor(name, remaining);
  }

  // Many small files change often; the list is rendered a few times a second.
  private change(id: number, change: UploadChange): void {
    this.changes.set(id, { ...this.changes.get(id), ...change });
    this.flushTimer ??= setTimeout(() => this.flush(), kFlushMs);
  }

  private flush(): void {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    const { changes } = this;
    this.changes = new Map();
    this.store.dispatch({ type: "change", changes });
    const now = performance.now();
    this.speed.add(now, uploadTotals(this.store.state.uploads).sentBytes);
    const bytesPerSecond = this.speed.bytesPerSecond(now);
    this.store.dispatch({ type: "speed", bytesPerSecond });
  }
}
