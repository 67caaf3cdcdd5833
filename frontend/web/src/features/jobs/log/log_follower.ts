// Follows one log while it grows.
//
// 1. While the job runs there is one stream. It begins where the text ends that
//    is there; StreamWatcher opens it again after a loss.
// 2. Nothing is open or requested while the page is not watched, or once the job
//    has ended and its log is complete.
// 3. The rest of an ended job's log is read by requests, at most one at a time;
//    so is the whole log, at intervals, if the server has no stream of logs.
// 4. If the stream cannot be opened, what is newer is read by one request before
//    each further attempt: as long as nothing is known, and while the server has
//    too many streams.
// 5. UNAUTHENTICATED stops following; any other failure is retried.
import { Code } from "@connectrpc/connect";
import type { FollowLogResponse } from "#proto/job_log";
import type { GetLogResponse } from "#proto/jobs";
import { type Failure, failureOf, isSessionEnd } from "../../../api/failure";
import { retryDelayMs } from "../../../api/reconnect";
import { StreamWatcher } from "../../../api/stream_watcher";
import {
  firstPiece,
  kPieceBytes,
  type LogText,
  olderOffset,
  withNewer,
  withOlder,
} from "./log_text";

export const kPeriodMs = 2000; // without a stream

export interface LogView {
  readonly log?: LogText; // nothing written yet, or unknown
  readonly known: boolean; // the server has responded
  readonly done: boolean; // the log is complete
  readonly failure?: Failure; // of the newest request for newer text
  // The text is not up to date: the connection is lost, or the page is not
  // watched.
  readonly state?: "lost" | "paused";
}

export const kNothingKnown: LogView = { known: false, done: false };

export interface LogEvents {
  read(offset: number): Promise<GetLogResponse>;
  open(offset: number, signal: AbortSignal): AsyncIterable<FollowLogResponse>;
  onView(view: LogView): void;
  onSessionEnd(failure: Failure): void;
}

export class LogFollower {
  private view = kNothingKnown;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking = false;
  private running = false;
  private watched = true;
  private ended = false;
  private attempt = 0;
  private streaming = false;
  private isOffered = true; // the server has the stream
  private readonly stream: StreamWatcher<FollowLogResponse>;

  constructor(private readonly events: LogEvents) {
    this.stream = new StreamWatcher<FollowLogResponse>({
      open: (signal) => events.open(this.newerOffset(), signal),
      onMessage: (message) => this.add(message),
      onLink: () => {},
      onSessionEnd: (failure) => this.end(failure),
      onFailure: (failure) => this.failStream(failure),
    });
  }

  start(): void {
    this.running = true;
    this.follow();
  }

  stop(): void {
    this.running = false;
    this.follow();
  }

  setWatched(watched: boolean): void {
    if (watched === this.watched) return;
    this.watched = watched;
    if (!watched && !this.view.done) this.show(this.current("paused"));
    this.follow();
  }

  // Connects now instead of at the next timer.
  wake(): void {
    if (this.streaming) this.stream.wake();
    else this.follow();
  }

  // Reads the rest of the log after the job has ended.
  setEnded(ended: boolean): void {
    if (ended === this.ended) return;
    this.ended = ended;
    if (!ended) this.show({ ...this.view, done: false });
    this.follow();
  }

  // Reads the text before the visible part. Throws the call's error.
  async readOlder(): Promise<void> {
    const { log } = this.view;
    if (!log || log.from === 0) return;
    const answer = await this.events.read(olderOffset(log));
    const now = this.view.log;
    if (now) this.show({ ...this.view, log: withOlder(now, answer) });
  }

  private follow(): void {
    const follows = this.running && this.watched && !this.view.done;
    const streams = follows && !this.ended && this.isOffered;
    if (streams !== this.streaming) {
      this.streaming = streams;
      if (streams) this.stream.start();
      else this.stream.stop();
    }
    clearTimeout(this.timer);
    if (follows && !streams) this.askIn(0);
  }

  private add({ part, complete }: FollowLogResponse): void {
    const view = this.current();
    if (!part) {
      this.show(complete ? { ...view, known: true, done: true } : view);
    } else {
      const { log } = view;
      this.show({
        log: (log && withNewer(log, part)) ?? firstPiece(part),
        known: true,
        done: complete,
      });
    }
    if (complete) this.follow();
  }

  // Returns whether to open the stream again.
  private failStream(failure: Failure): boolean {
    if (failure.code === Code.Unimplemented) {
      this.isOffered = false;
      this.follow();
      return false;
    }
    const view = this.current("lost");
    // The stream was silent for too long.
    const isSilent = failure.code === Code.Canceled;
    this.show(isSilent ? view : { ...view, failure });
    const isFull = failure.code === Code.ResourceExhausted;
    if (!view.known || isFull) void this.readNewer();
    return true;
  }

  private async readNewer(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const before = this.view.log?.next;
    try {
      const log = await this.newer();
      // Unless a stream was faster.
      if (this.view.log?.next === before) {
        this.show({ ...this.view, log, known: true });
      }
    } catch {
      // The stream's failure is shown.
    } finally {
      this.asking = false;
      this.askIn(0); // the job may have ended meanwhile
    }
  }

  private askIn(delayMs: number): void {
    clearTimeout(this.timer);
    const asks = this.ended || !this.isOffered;
    if (!this.running || !this.watched || !asks || this.view.done) return;
    this.timer = setTimeout(() => void this.ask(), delayMs);
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const ended = this.ended;
    try {
      const before = this.view.log?.next;
      const log = await this.newer();
      const behind = log.next < log.size;
      this.attempt = 0;
      this.show({ log, known: true, done: ended && !behind });
      this.asking = false;
      this.askIn(behind && log.next !== before ? 0 : kPeriodMs);
    } catch (error) {
      this.asking = false;
      this.fail(failureOf(error), ended);
    }
  }

  private newerOffset(): number {
    return this.view.log?.next ?? -kPieceBytes;
  }

  private async newer(): Promise<LogText> {
    const answer = await this.events.read(this.newerOffset());
    // The log may have changed during the request.
    const { log } = this.view;
    const grown = log ? withNewer(log, answer) : firstPiece(answer);
    return grown ?? firstPiece(await this.events.read(-kPieceBytes));
  }

  private fail(failure: Failure, ended: boolean): void {
    if (!this.running) return;
    if (isSessionEnd(failure)) {
      this.end(failure);
      return;
    }
    if (failure.code === Code.NotFound) {
      this.attempt = 0;
      this.show({ ...this.current(), known: true, done: ended });
      this.askIn(kPeriodMs);
      return;
    }
    this.show({ ...this.current("lost"), failure });
    this.askIn(kPeriodMs + retryDelayMs(this.attempt++, Math.random()));
  }

  private end(failure: Failure): void {
    this.stop();
    this.events.onSessionEnd(failure);
  }

  private current(state?: LogView["state"]): LogView {
    const { log, known, done } = this.view;
    return { ...(log && { log }), known, done, ...(state && { state }) };
  }

  private show(view: LogView): void {
    if (!this.running) return;
    this.view = view;
    this.events.onView(view);
  }
}
