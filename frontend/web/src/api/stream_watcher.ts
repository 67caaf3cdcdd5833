// Keeps one stream of the server open while the page is visible.
//
// 1. There is at most one stream, and at most one timer that opens the next.
// 2. No position is kept: each stream starts anew.
// 3. UNAUTHENTICATED ends the watch, and a failure that onFailure() does not
//    accept; any other end is retried.
import { type Failure, failureOf, isSessionEnd } from "./failure";
import {
  kHealthyMs,
  kHiddenGraceMs,
  kSilenceMs,
  retryDelayMs,
} from "./reconnect";

export type ConnectionState = "connecting" | "live" | "reconnecting" | "paused";

export interface WatchEvents<Message> {
  open(signal: AbortSignal): AsyncIterable<Message>;
  onMessage(message: Message): void;
  onLink(link: ConnectionState): void;
  onSessionEnd(failure: Failure): void;
  // Returns whether to retry; absent: always.
  onFailure?(failure: Failure): boolean;
}

type Timer = ReturnType<typeof setTimeout>;

export class StreamWatcher<Message> {
  private stream: AbortController | undefined;
  private retryTimer: Timer | undefined;
  private silenceTimer: Timer | undefined;
  private hiddenTimer: Timer | undefined;
  private attempt = 0;
  private running = false;

  constructor(
    private readonly events: WatchEvents<Message>,
    private readonly random: () => number = Math.random,
  ) {}

  start(): void {
    this.running = true;
    this.events.onLink("connecting");
    void this.connect();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.hiddenTimer);
    this.disconnect();
  }

  // Pauses after a while in the background, and reconnects when visible again.
  setVisible(visible: boolean): void {
    clearTimeout(this.hiddenTimer);
    if (!this.running) return;
    if (visible) this.wake();
    else this.hiddenTimer = setTimeout(() => this.pause(), kHiddenGraceMs);
  }

  // Reconnects now instead of at the next timer.
  wake(): void {
    if (!this.running || this.stream) return;
    this.attempt = 0;
    this.events.onLink("reconnecting");
    void this.connect();
  }

  private pause(): void {
    this.disconnect();
    this.events.onLink("paused");
  }

  private disconnect(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.silenceTimer);
    this.stream?.abort();
    this.stream = undefined;
  }

  private async connect(): Promise<void> {
    this.disconnect();
    const stream = new AbortController();
    this.stream = stream;
    const openedAt = Date.now();
    const failure = await this.follow(stream);
    // The stream was closed on purpose; the closing code decides what follows.
    if (this.stream !== stream) return;
    this.disconnect();
    if (failure && isSessionEnd(failure)) {
      this.stop();
      this.events.onSessionEnd(failure);
      return;
    }
    if (failure && this.events.onFailure?.(failure) === false) {
      this.stop();
      return;
    }
    if (Date.now() - openedAt >= kHealthyMs) this.attempt = 0;
    this.events.onLink("reconnecting");
    const delay = retryDelayMs(this.attempt++, this.random());
    this.retryTimer = setTimeout(() => void this.connect(), delay);
  }

  // Reads the stream to its end. Returns the error, or undefined after a
  // regular end.
  private async follow(stream: AbortController): Promise<Failure | undefined> {
    this.expectWord(stream);
    try {
      for await (const message of this.events.open(stream.signal)) {
        if (this.stream !== stream) return undefined;
        this.expectWord(stream);
        this.events.onLink("live");
        this.events.onMessage(message);
      }
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  private expectWord(stream: AbortController): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => stream.abort(), kSilenceMs);
  }
}
