import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FollowLogResponse,
  FollowLogResponseSchema,
} from "#proto/job_log";
import { kSilenceMs } from "../../../../src/api/reconnect";
import {
  kPeriodMs,
  LogFollower,
  type LogView,
} from "../../../../src/features/jobs/log/log_follower";
import { kPieceBytes } from "../../../../src/features/jobs/log/log_text";
import { SampleLog } from "./sample_log";

// One call of FollowLog whose messages and end the test decides.
class FakeStream {
  private readonly steps: (() => IteratorResult<FollowLogResponse>)[] = [];
  private wake = () => {};

  constructor(
    readonly offset: number,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.fail(failed(Code.Canceled)));
  }
  get isOpen() {
    return !this.signal.aborted;
  }
  // The log from the offset on, as the server sends it.
  send(log: SampleLog, offset: number, complete = false) {
    const part = log.read(offset);
    this.sendMessage(create(FollowLogResponseSchema, { part, complete }));
  }
  sendNothing(complete = false) {
    this.sendMessage(create(FollowLogResponseSchema, { complete }));
  }
  fail(error: unknown) {
    this.step(() => {
      throw error;
    });
  }
  end() {
    this.step(() => ({ value: undefined, done: true }));
  }
  private sendMessage(value: FollowLogResponse) {
    this.step(() => ({ value, done: false }));
  }
  private step(step: () => IteratorResult<FollowLogResponse>) {
    this.steps.push(step);
    this.wake();
  }
  async *read(): AsyncIterable<FollowLogResponse> {
    for (;;) {
      while (this.steps.length === 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
      const step = this.steps.shift()!();
      if (step.done) return;
      yield step.value;
    }
  }
}

function follow(log: SampleLog, streams = false) {
  const asked: number[] = [];
  const views: LogView[] = [];
  const onSessionEnd = vi.fn();
  const server: { failure?: ConnectError | undefined; gate?: Promise<void> } =
    {};
  const opened: FakeStream[] = [];
  const follower = new LogFollower({
    open(offset, signal) {
      const stream = new FakeStream(offset, signal);
      opened.push(stream);
      if (!streams) stream.fail(failed(Code.Unimplemented));
      return stream.read();
    },
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
  const last = () => opened[opened.length - 1]!;
  return { follower, asked, opened, last, view, server, onSessionEnd };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const failed = (code: Code) => new ConnectError("no", code);

describe("the log follower", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("stops when the session has ended", async () => {
    const { opened, last, onSessionEnd } = follow(new SampleLog(""), true);
    last().fail(failed(Code.Unauthenticated));
    await pass(3_600_000);
    expect(onSessionEnd).toHaveBeenCalledOnce();
    expect(opened).toHaveLength(1);
  });

  it("opens nothing after stop()", async () => {
    const { follower, opened, asked, last } = follow(new SampleLog(""), true);
    follower.stop();
    follower.wake();
    follower.setWatched(false);
    follower.setWatched(true);
    await pass(3_600_000);
    expect(last().isOpen).toBe(false);
    expect(opened).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it("has no stream for a job that has ended", async () => {
    const { follower, last, asked, view } = follow(new SampleLog("text"), true);
    follower.setEnded(true);
    await pass(3_600_000);
    expect(last().isOpen).toBe(false);
    expect(asked).toHaveLength(1);
    expect(view()).toMatchObject({ done: true });
  });

  it("sends no requests while the log grows", async () => {
    const log = new SampleLog("text");
    const { opened, last, asked, view } = follow(log, true);
    expect(last().offset).toBe(-kPieceBytes);
    last().send(log, -kPieceBytes);
    for (let i = 0; i < 20; i++) {
      const end = log.size;
      log.write("more");
      last().send(log, end);
      last().sendNothing();
      await pass(10_000);
    }
    expect(asked).toEqual([]);
    expect(opened).toHaveLength(1);
    expect(view()?.log?.text).toBe("text" + "more".repeat(20));
    expect(view()).toMatchObject({ known: true, done: false });
  });

  it("closes the stream at once while not watched, and continues", async () => {
    const log = new SampleLog("text");
    const { follower, opened, last, view, asked } = follow(log, true);
    last().send(log, -kPieceBytes);
    await pass(0);
    follower.setWatched(false);
    expect(last().isOpen).toBe(false);
    expect(view()?.state).toBe("paused");
    await pass(3_600_000);
    expect(opened).toHaveLength(1);
    log.write(", more");
    follower.setWatched(true);
    expect(last().offset).toBe(4);
    last().send(log, 4);
    await pass(0);
    expect(view()?.log?.text).toBe("text, more");
    expect(view()?.state).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("shows that the connection is lost, and continues where it was", async () => {
    const log = new SampleLog("text");
    const { opened, last, view, asked } = follow(log, true);
    last().send(log, -kPieceBytes);
    await pass(0);
    last().fail(failed(Code.Unavailable));
    await pass(0);
    expect(view()).toMatchObject({ known: true, state: "lost" });
    expect(view()?.failure?.code).toBe(Code.Unavailable);
    expect(view()?.log?.text).toBe("text");
    await pass(1_000);
    expect(opened).toHaveLength(2);
    expect(last().offset).toBe(4);
    log.write(", more");
    last().send(log, 4);
    await pass(0);
    expect(view()?.log?.text).toBe("text, more");
    expect(view()?.failure).toBeUndefined();
    expect(view()?.state).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("takes silence for a lost connection", async () => {
    const log = new SampleLog("text");
    const { opened, last, view } = follow(log, true);
    last().send(log, -kPieceBytes);
    await pass(kSilenceMs + 1);
    expect(view()).toMatchObject({ state: "lost" });
    expect(view()?.failure).toBeUndefined();
    await pass(1_000);
    expect(opened).toHaveLength(2);
  });

  it("connects later each time, and at once when the network is back", async () => {
    const { follower, opened, last } = follow(new SampleLog(""), true);
    for (let i = 0; i < 100; i++) {
      if (last().isOpen) last().fail(failed(Code.Unavailable));
      await pass(1_000);
    }
    expect(opened.length).toBeLessThan(20);
    const before = opened.length;
    follower.wake();
    expect(opened.length).toBe(before + 1);
  });

  it("reads what is newer with each attempt while it may not follow", async () => {
    const log = new SampleLog("text");
    const { opened, last, asked, view } = follow(log, true);
    last().fail(failed(Code.ResourceExhausted));
    await pass(0);
    expect(view()?.log?.text).toBe("text");
    expect(view()?.failure?.code).toBe(Code.ResourceExhausted);
    log.write(", more");
    await pass(1_000);
    expect(opened).toHaveLength(2);
    last().fail(failed(Code.ResourceExhausted));
    await pass(0);
    expect(view()?.log?.text).toBe("text, more");
    expect(asked).toEqual([-kPieceBytes, 4]);
  });

  it("reads the end once if it cannot connect", async () => {
    const { opened, last, asked, view } = follow(new SampleLog("text"), true);
    last().fail(failed(Code.Unavailable));
    await pass(0);
    expect(view()?.log?.text).toBe("text");
    await pass(1_000);
    expect(opened).toHaveLength(2);
    last().fail(failed(Code.Unavailable));
    await pass(60_000);
    expect(asked).toEqual([-kPieceBytes]);
  });

  it("connects again after a regular end that is not the log's", async () => {
    const { opened, last, view } = follow(new SampleLog(""), true);
    last().sendNothing();
    last().end();
    await pass(1_000);
    expect(opened).toHaveLength(2);
    expect(view()?.done).toBe(false);
  });

  it("is done when the server says that the log is complete", async () => {
    const log = new SampleLog("text");
    const { follower, opened, last, asked, view } = follow(log, true);
    last().send(log, -kPieceBytes, true);
    last().end();
    await pass(3_600_000);
    expect(view()).toMatchObject({ done: true });
    expect(view()?.log?.text).toBe("text");
    follower.setEnded(true);
    await pass(3_600_000);
    expect(opened).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it("reads the rest by requests when the job ends first", async () => {
    const log = new SampleLog("text");
    const { follower, last, asked, view } = follow(log, true);
    last().send(log, -kPieceBytes);
    await pass(0);
    log.write(", its last words");
    follower.setEnded(true);
    await pass(3_600_000);
    expect(last().isOpen).toBe(false);
    expect(asked).toEqual([4]);
    expect(view()?.log?.text).toBe("text, its last words");
    expect(view()).toMatchObject({ done: true });
  });

  it("starts again after truncation", async () => {
    const log = new SampleLog("a long beginning");
    const { last, view } = follow(log, true);
    last().send(log, -kPieceBytes);
    log.replace("short");
    last().send(log, -kPieceBytes);
    await pass(0);
    expect(view()?.log).toMatchObject({ text: "short", from: 0, size: 5 });
  });
});

describe("the log follower without a stream of the server", () => {
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

  it("pauses while not watched and resumes at once", async () => {
    const { follower, asked } = follow(new SampleLog("text"));
    await pass(0);
    follower.setWatched(false);
    await pass(3_600_000);
    expect(asked).toHaveLength(1);
    follower.setWatched(true);
    await pass(0);
    expect(asked).toHaveLength(2);
  });

  it("schedules no request if no longer watched during one", async () => {
    const { follower, asked, server } = follow(new SampleLog("text"));
    let open = () => {};
    server.gate = new Promise<void>((resolve) => (open = resolve));
    await pass(0);
    follower.setWatched(false);
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
