// The line to one terminal: comes back by itself when it is lost.
import { BytePosition, isReply } from "./byte_position";
import type { LineEnd } from "./line_end";
import { kHealthyMs, retryDelayMs } from "./reconnect";

// The program takes messages of at most 64 KiB.
const kMessageBytes = 32 * 1024;

export interface Screen {
  // Calls `shown` once the bytes are on the screen.
  write(bytes: Uint8Array, shown: () => void): void;
  // Forgets everything.
  reset(): void;
  // The line's state changed; `retryMs`: when it is tried again, also where a
  // session has ended, because the user may open another meanwhile.
  lost(retryMs: number): void;
  why(end: LineEnd): void;
  connected(): void;
  exited(code: number): void;
}

// The part of WebSocket that is used; a test brings its own.
export type OpenSocket = (path: string) => WebSocket;

export class TerminalLink {
  private readonly position = new BytePosition();
  private socket: WebSocket | undefined;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private size: { rows: number; cols: number } | undefined;
  private over = false;

  constructor(
    private readonly name: string,
    private readonly screen: Screen,
    private readonly openSocket: OpenSocket,
    private readonly askWhy: () => Promise<LineEnd>,
  ) {}

  connect(): void {
    clearTimeout(this.timer);
    if (this.over || this.socket) return;
    const from = this.position.next;
    const query = from === undefined ? "" : `?from=${from}`;
    const socket = this.openSocket(`terminals/${this.name}${query}`);
    const opened = Date.now();
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.receive(data as ArrayBuffer | string);
    socket.onclose = () => this.onLost(Date.now() - opened);
    this.socket = socket;
  }

  // What the user typed, or what the terminal answers a program.
  type(data: string): void {
    if (this.position.replaying && isReply(data)) return;
    this.send(new TextEncoder().encode(data));
  }

  // Bytes that are no text, such as old mouse reports.
  typeBytes(data: string): void {
    this.send(Uint8Array.from(data, (character) => character.charCodeAt(0)));
  }

  resize(rows: number, cols: number): void {
    this.size = { rows, cols };
    this.sendMessage(this.size);
  }

  // Ends the shell, and this window's part in it.
  close(): void {
    this.sendMessage({ close: true });
    this.end();
  }

  private receive(data: ArrayBuffer | string): void {
    if (typeof data === "string") return this.handle(JSON.parse(data));
    const until = this.position.receive(data.byteLength);
    this.screen.write(new Uint8Array(data), () => {
      const seen = this.position.show(until);
      if (seen !== undefined) this.sendMessage({ seen });
    });
  }

  private handle(message: { at?: number; until?: number; exit?: number }): void {
    if (message.at !== undefined) {
      if (this.position.begin(message.at, message.until ?? message.at)) {
        this.screen.reset();
      }
      this.screen.connected();
      if (this.size) this.sendMessage(this.size);
    } else if (message.exit !== undefined) {
      this.end();
      this.screen.exited(message.exit);
    }
  }

  private onLost(livedMs: number): void {
    this.socket = undefined;
    if (this.over) return;
    if (livedMs >= kHealthyMs) this.attempt = 0;
    const pause = retryDelayMs(this.attempt++, Math.random());
    this.timer = setTimeout(() => this.connect(), pause);
    this.screen.lost(pause);
    void this.askWhy().then((end) => {
      if (this.over || this.socket) return;
      if (end === "job") this.end();
      this.screen.why(end);
    });
  }

  private end(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += kMessageBytes) {
      this.put(bytes.subarray(at, at + kMessageBytes));
    }
  }

  private sendMessage(message: object): void {
    this.put(JSON.stringify(message));
  }

  private put(message: string | Uint8Array): void {
    if (this.socket?.readyState === 1) this.socket.send(message);
  }
}
