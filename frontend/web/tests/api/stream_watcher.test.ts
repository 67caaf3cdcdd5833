import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WatchJobsResponse } from "#proto/jobs";
import {
  StreamWatcher,
  type ConnectionState,
} from "../../src/api/stream_watcher";
import { kHiddenGraceMs, kSilenceMs } from "../../src/api/reconnect";
import { change, snapshot } from "../features/jobs/sample_job";

// One call of WatchJobs whose messages and end the test decides.
class FakeStream {
  private readonly steps: (() => IteratorResult<WatchJobsResponse>)[] = [];
  private wake = () => {};

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", () =>
      this.fail(new ConnectError("aborted", Code.Canceled)),
    );
  }
  get open() {
    return !this.signal.aborted;
  }
  send(value: WatchJobsResponse) {
    this.step(() => ({ value, done: false }));
  }
  fail(error: unknown) {
    this.step(() => {
      throw error;
    });
  }
  private step(step: () => IteratorResult<WatchJobsResponse>) {
    this.steps.push(step);
    this.wake();
  }
  async *read(): AsyncIterable<WatchJobsResponse> {
    for (;;) {
      while (this.steps.length === 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
      yield this.steps.shift()!().value;
    }
  }
}

function watch(onFailure?: () => boolean) {
  const streams: FakeStream[] = [];
  const links: ConnectionState[] = [];
  const messages: WatchJobsResponse[] = [];
  const onSessionEnd = vi.fn();
  const watcher = new StreamWatcher(
    {
      open(signal) {
        const stream = new FakeStream(signal);
        streams.push(stream);
        return stream.read();
      },
      onMessage: (message) => messages.push(message),
      onLink: (link) => links.push(link),
      onSessionEnd,
      ...(onFailure && { onFailure }),
    },
    () => 0.5,
  );
  watcher.start();
  const last = () => streams[streams.length - 1]!;
  return { watcher, streams, links, messages, onSessionEnd, last };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const kLost = new ConnectError("lost", Code.Unavailable);

describe("the watcher", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("stops when the session has ended", async () => {
    const { streams, last, onSessionEnd } = watch();
    last().fail(new ConnectError("over", Code.Unauthenticated));
    await pass(3_600_000);
    expect(onSessionEnd).toHaveBeenCalledOnce();
    expect(streams).toHaveLength(1);
  });

  it("stops after a failure that is not to be retried", async () => {
    const { streams, last } = watch(() => false);
    last().fail(new ConnectError("not offered", Code.FailedPrecondition));
    await pass(3_600_000);
    expect(streams).toHaveLength(1);
  });

  it("opens nothing after it was stopped", async () => {
    const { watcher, streams, last } = watch();
    last().fail(kLost);
    await pass(1);
    watcher.stop();
    watcher.wake();
    watcher.setVisible(true);
    await pass(3_600_000);
    expect(streams).toHaveLength(1);
  });

  it("hands on every message and calls itself live", async () => {
    const { links, messages, last } = watch();
    expect(links).toEqual(["connecting"]);
    last().send(snapshot());
    last().send(change());
    await pass(0);
    expect(messages).toHaveLength(2);
    expect(links[links.length - 1]).toBe("live");
  });

  it("connects again after a loss, later each time", async () => {
    const { streams, links, last } = watch();
    last().fail(kLost);
    await pass(400);
    expect(links).toContain("reconnecting");
    expect(streams).toHaveLength(2);
    last().fail(kLost);
    await pass(400);
    expect(streams).toHaveLength(2);
    await pass(400);
    expect(streams).toHaveLength(3);
  });

  it("starts with a short delay again after a healthy stream", async () => {
    const { streams, last } = watch();
    for (let round = 0; round < 5; ++round) {
      last().fail(kLost);
      await pass(20_000);
    }
    expect(streams).toHaveLength(6);
    last().send(snapshot());
    await pass(15_000);
    last().fail(kLost);
    await pass(400);
    expect(streams).toHaveLength(7);
  });

  it("treats a silent stream as disconnected", async () => {
    const { streams, last } = watch();
    last().send(snapshot());
    await pass(kSilenceMs - 1000);
    last().send(change());
    await pass(kSilenceMs - 1000);
    expect(streams).toHaveLength(1);
    await pass(2000);
    expect(streams[0]!.open).toBe(false);
    expect(streams).toHaveLength(2);
  });

  it("keeps the stream of a tab that is hidden for a moment", async () => {
    const { watcher, streams, links, last } = watch();
    last().send(snapshot());
    watcher.setVisible(false);
    await pass(kHiddenGraceMs - 1000);
    watcher.setVisible(true);
    await pass(2000);
    expect(streams).toHaveLength(1);
    expect(links).not.toContain("paused");
  });

  it("rests while the tab is hidden, and is back at once", async () => {
    const { watcher, streams, links } = watch();
    watcher.setVisible(false);
    await pass(kHiddenGraceMs);
    expect(streams[0]!.open).toBe(false);
    expect(links[links.length - 1]).toBe("paused");
    await pass(3_600_000);
    expect(streams).toHaveLength(1);
    watcher.setVisible(true);
    expect(streams).toHaveLength(2);
  });

  it("does not wait any longer when the network is back", async () => {
    const { watcher, streams, last } = watch();
    last().fail(kLost);
    await pass(1);
    watcher.wake();
    expect(streams).toHaveLength(2);
    await pass(5000);
    expect(streams).toHaveLength(2);
  });
});
