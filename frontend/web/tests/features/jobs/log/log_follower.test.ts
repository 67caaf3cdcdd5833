import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  kPeriodMs,
  LogFollower,
  type LogView,
} from "../../../../src/features/jobs/log/log_follower";
import { kPieceBytes } from "../../../../src/features/jobs/log/log_text";
import { SampleLog } from "./sample_log";

function follow(log: SampleLog) {
  const asked: number[] = [];
  const views: LogView[] = [];
  const onSessionEnd = vi.fn();
  const server: { failure?: ConnectError | undefined; gate?: Promise<void> } =
    {};
  const follower = new LogFollower({
    async read(offset) {
      asked.push(offset);
      await server.gate;
      if (server.failure) throw server.failure;
      return log.read(offset);
    },
    onView: (view) => views.push(view),
    onSessionEnd,
  });
  follower.start();
  const view = () => views[views.length - 1];
  return { follower, asked, view, server, onSessionEnd };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const failed = (code: Code) => new ConnectError("no", code);

describe("the log follower", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("stops when the session has ended", async () => {
    const { asked, server, onSessionEnd } = follow(new SampleLog(""));
    server.failure = failed(Code.Unauthenticated);
    await pass(3_600_000);
    expect(onSessionEnd).toHaveBeenCalledOnce();
    expect(asked).toHaveLength(1);
  });

  it("sends no requests after stop()", async () => {
    const { follower, asked, view } = follow(new SampleLog("text"));
    follower.stop();
    await pass(3_600_000);
    expect(asked).toEqual([]);
    expect(view()).toBeUndefined();
  });

  it("starts at the end of the log and continues from there", async () => {
    const log = new SampleLog("x".repeat(70_000));
    const { asked, view } = follow(log);
    await pass(0);
    log.write("more");
    await pass(kPeriodMs);
    expect(asked).toEqual([-kPieceBytes, 70_000]);
    expect(view()?.log?.text.endsWith("xmore")).toBe(true);
    expect(view()?.done).toBe(false);
  });

  it("reads a fast-growing log without waiting", async () => {
    const log = new SampleLog("");
    const { asked, view } = follow(log);
    await pass(0);
    log.write("x".repeat(200_000));
    await pass(kPeriodMs);
    await pass(10);
    expect(view()?.log?.next).toBe(200_000);
    expect(asked.length).toBeLessThan(7);
  });

  it("pauses while hidden and resumes at once", async () => {
    const { follower, asked } = follow(new SampleLog("text"));
    await pass(0);
    follower.setVisible(false);
    await pass(3_600_000);
    expect(asked).toHaveLength(1);
    follower.setVisible(true);
    await pass(0);
    expect(asked).toHaveLength(2);
  });

  it("schedules no request if hidden during one", async () => {
    const { follower, asked, server } = follow(new SampleLog("text"));
    let open = () => {};
    server.gate = new Promise<void>((resolve) => (open = resolve));
    await pass(0);
    follower.setVisible(false);
    open();
    await pass(3_600_000);
    expect(asked).toHaveLength(1);
  });

  it("reads an ended job's log to its end", async () => {
    const log = new SampleLog("text");
    const { follower, view } = follow(log);
    await pass(0);
    log.write("x".repeat(200_000));
    follower.setEnded(true);
    await pass(0);
    expect(view()?.done).toBe(false);
    await pass(kPeriodMs);
    expect(view()).toMatchObject({ done: true });
    expect(view()?.log?.next).toBe(200_004);
  });

  it("reads once more after the job has ended", async () => {
    const log = new SampleLog("text");
    const { follower, asked, view } = follow(log);
    await pass(0);
    log.write(", its last words");
    follower.setEnded(true);
    await pass(3_600_000);
    expect(asked).toHaveLength(2);
    expect(view()).toMatchObject({ done: true });
    expect(view()?.log?.text).toBe("text, its last words");
  });

  it("waits for a log that does not exist yet", async () => {
    const log = new SampleLog("text");
    const { view, server } = follow(log);
    server.failure = failed(Code.NotFound);
    await pass(0);
    expect(view()).toEqual({ known: true, done: false });
    server.failure = undefined;
    await pass(kPeriodMs);
    expect(view()?.log?.text).toBe("text");
  });

  it("does not wait for the log of an ended job", async () => {
    const { follower, asked, view, server } = follow(new SampleLog(""));
    server.failure = failed(Code.NotFound);
    follower.setEnded(true);
    await pass(3_600_000);
    expect(asked).toHaveLength(1);
    expect(view()).toEqual({ known: true, done: true });
  });

  it("keeps the text and retries after a failure", async () => {
    const { asked, view, server } = follow(new SampleLog("text"));
    await pass(0);
    server.failure = failed(Code.Unavailable);
    await pass(kPeriodMs);
    expect(view()?.failure?.code).toBe(Code.Unavailable);
    expect(view()?.log?.text).toBe("text");
    server.failure = undefined;
    await pass(30_000);
    expect(view()?.failure).toBeUndefined();
    expect(asked.length).toBeGreaterThan(2);
  });

  it("backs off while calls fail", async () => {
    const { asked, server } = follow(new SampleLog(""));
    server.failure = failed(Code.ResourceExhausted);
    await pass(120_000);
    expect(asked.length).toBeLessThan(15);
  });

  it("starts again after truncation", async () => {
    const log = new SampleLog("a long beginning");
    const { view } = follow(log);
    await pass(0);
    log.replace("short");
    await pass(kPeriodMs);
    expect(view()?.log).toMatchObject({ text: "short", from: 0, size: 5 });
  });

  it("keeps older text loaded during a request", async () => {
    const log = new SampleLog("a".repeat(100) + "b".repeat(kPieceBytes));
    const { follower, view, server } = follow(log);
    await pass(0);
    expect(view()?.log?.from).toBe(100);
    let open = () => {};
    server.gate = new Promise<void>((resolve) => (open = resolve));
    await pass(kPeriodMs);
    delete server.gate;
    await follower.readOlder();
    open();
    await pass(0);
    expect(view()?.log?.from).toBe(0);
    expect(view()?.log?.text).toBe("a".repeat(100) + "b".repeat(kPieceBytes));
  });
});
