import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LineEnd } from "../src/line_end";
import { TerminalLink } from "../src/terminal_link";

// The far side of the line: what was opened and sent, and a way to answer.
class Far {
  readyState = 1;
  readonly sent: (string | Uint8Array)[] = [];
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | undefined;
  onclose: (() => void) | undefined;
  constructor(readonly path: string) {}
  send(message: string | Uint8Array) {
    this.sent.push(message);
  }
  close() {
    this.lose();
  }
  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  write(bytes: number) {
    this.onmessage?.({ data: new ArrayBuffer(bytes) });
  }
  lose() {
    this.readyState = 3;
    this.onclose?.();
  }
}

function start(end: LineEnd = "lost") {
  const lines: Far[] = [];
  const screen = {
    write: (_: Uint8Array, shown: () => void) => shown(),
    reset: vi.fn(),
    lost: vi.fn(),
    why: vi.fn(),
    connected: vi.fn(),
    exited: vi.fn(),
  };
  const openSocket = (path: string) => {
    lines.push(new Far(path));
    return lines.at(-1) as unknown as WebSocket;
  };
  const link = new TerminalLink("1", screen, openSocket, () =>
    Promise.resolve(end),
  );
  link.connect();
  return { lines, screen, link };
}

describe("the line to a terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("asks for what it lacks when it comes back", () => {
    const { lines, screen } = start();
    lines[0]?.say({ at: 100, until: 100 });
    lines[0]?.write(23);
    lines[0]?.lose();
    expect(screen.lost).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(500);
    expect(lines.map(({ path }) => path)).toEqual([
      "terminals/1",
      "terminals/1?from=123",
    ]);
    lines[1]?.say({ at: 123, until: 123 });
    expect(screen.reset).not.toHaveBeenCalled();
  });

  it("reports why it was lost, and tries again nevertheless", async () => {
    const { lines, screen } = start("session");
    lines[0]?.lose();
    await vi.advanceTimersByTimeAsync(500);
    expect(screen.why).toHaveBeenCalledWith("session");
    expect(lines).toHaveLength(2);
  });

  it("is not tried again once the job has ended", async () => {
    const { lines, screen } = start("job");
    lines[0]?.lose();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(screen.why).toHaveBeenCalledWith("job");
    expect(lines).toHaveLength(1);
  });

  it("clears the screen when bytes are missing", () => {
    const { lines, screen } = start();
    lines[0]?.say({ at: 0, until: 0 });
    lines[0]?.lose();
    vi.advanceTimersByTime(500);
    lines[1]?.say({ at: 77, until: 99 });
    expect(screen.reset).toHaveBeenCalledOnce();
  });

  it("does not come back after the shell's end", () => {
    const { lines, screen } = start();
    lines[0]?.say({ at: 0, until: 0 });
    lines[0]?.say({ exit: 3 });
    vi.advanceTimersByTime(60_000);
    expect(screen.exited).toHaveBeenCalledWith(3);
    expect(screen.lost).not.toHaveBeenCalled();
    expect(lines).toHaveLength(1);
  });

  it("waits longer each time", () => {
    const { lines, screen } = start();
    for (let time = 0; time < 6; ++time) {
      lines.at(-1)?.lose();
      vi.runOnlyPendingTimers();
    }
    const pauses = screen.lost.mock.calls.map(([pause]) => pause as number);
    expect(pauses[0]).toBeLessThanOrEqual(500);
    expect(pauses[5]).toBeGreaterThanOrEqual(8000);
  });

  it("does not answer again what was asked long ago", () => {
    const { lines, link } = start();
    lines[0]?.say({ at: 0, until: 10 });
    link.type("\x1b[?1;2c");
    link.type("l");
    lines[0]?.write(10);
    link.type("\x1b[?1;2c");
    expect(lines[0]?.sent).toHaveLength(2);
  });

  it("cuts a long paste into messages that the program takes", () => {
    const { lines, link } = start();
    link.type("x".repeat(100_000));
    const sizes = lines[0]?.sent.map(({ length }) => length) ?? [];
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(100_000);
  });

  it("tells its size anew after each connection", () => {
    const { lines, link } = start();
    lines[0]?.say({ at: 0, until: 0 });
    link.resize(30, 100);
    lines[0]?.lose();
    vi.advanceTimersByTime(500);
    lines[1]?.say({ at: 0, until: 0 });
    expect(lines[1]?.sent).toEqual(['{"rows":30,"cols":100}']);
  });
});
