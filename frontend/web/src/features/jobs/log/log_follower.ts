// Follows one log while it grows.
//
// 1. There is at most one request for newer text, at most one timer for the
// next, and at most one request for older text.
// 2. No requests are sent while the page is hidden, or once the job has ended
// and its log is complete.
// 3. UNAUTHENTICATED stops following; any other failure is retried.
import { Code } from "@connectrpc/connect";
import type { GetLogResponse } from "#proto/jobs";
import { type Failure, failureOf, isSessionEnd } from "../../../api/failure";
import { retryDelayMs } from "../../../api/reconnect";
import {
  firstPiece,
  kPieceBytes,
  type LogText,
  olderOffset,
  withNewer,
  withOlder,
} from "./log_text";

export const kPeriodMs = 2000;

export interface LogView {
  readonly log?: LogText; // nothing written yet, or unknown
  readonly known: boolean; // the server has responded
  readonly done: boolean; // the log is complete
  readonly failure?: Failure; // of the newest request for newer text
}

export const kNothingKnown: LogView = { known: false, done: false };

export interface LogEvents {
  read(offset: number): Promise<GetLogResponse>;
  onView(view: LogView): void;
  onSessionEnd(failure: Failure): void;
}

export class LogFollower {
  private view = kNothingKnown;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking = false;
  private running = false;
  private visible = true;
  private ended = false;
  private attempt = 0;

  constructor(private readonly events: LogEvents) {}

  start(): void {
    this.running = true;
    this.askIn(0);
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  setVisible(visible: boolean): void {
    this.visible = visible;
    clearTimeout(this.timer);
    if (visible) this.askIn(0);
  }

  // Reads the rest of the log after the job has ended.
  setEnded(ended: boolean): void {
    if (ended === this.ended) return;
    this.ended = ended;
    if (!ended) this.show({ ...this.view, done: false });
    this.askIn(0);
  }

  // Reads the text before the visible part. Throws the call's error.
  async readOlder(): Promise<void> {
    const { log } = this.view;
    if (!log || log.from === 0) return;
    const answer = await this.events.read(olderOffset(log));
    const now = this.view.log;
    if (now) this.show({ ...this.view, log: withOlder(now, answer) });
  }

  private askIn(delayMs: number): void {
    clearTimeout(this.timer);
    if (!this.running || !this.visible || this.view.done) return;
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

  private async newer(): Promise<LogText> {
    const next = this.view.log?.next ?? -kPieceBytes;
    const answer = await this.events.read(next);
    // The log may have changed during the request.
    const { log } = this.view;
    const grown = log ? withNewer(log, answer) : firstPiece(answer);
    return grown ?? firstPiece(await this.events.read(-kPieceBytes));
  }

  private fail(failure: Failure, ended: boolean): void {
    if (!this.running) return;
    if (isSessionEnd(failure)) {
      this.stop();
      this.events.onSessionEnd(failure);
      return;
    }
    if (failure.code === Code.NotFound) {
      this.attempt = 0;
      const { log } = this.view;
      this.show({ ...(log && { log }), known: true, done: ended });
      this.askIn(kPeriodMs);
      return;
    }
    this.show({ ...this.view, failure });
    this.askIn(kPeriodMs + retryDelayMs(this.attempt++, Math.random()));
  }

  private show(view: LogView): void {
    if (!this.running) return;
    this.view = view;
    this.events.onView(view);
  }
}
