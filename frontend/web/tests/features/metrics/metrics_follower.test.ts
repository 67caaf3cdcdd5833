import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type GetJobMetricsResponse,
  type WatchJobMetricsResponse,
  WatchJobMetricsResponseSchema,
} from "#proto/metrics";
import {
  MetricsFollower,
  type MetricsView,
} from "../../../src/features/metrics/metrics_follower";
import { loaded, samples } from "./sample_metrics";

const kName = "carme_job_memory_bytes";

function follow(
  load: () => Promise<GetJobMetricsResponse>,
  isRunning: boolean,
) {
  const views: MetricsView[] = [];
  const onSessionEnd = vi.fn();
  const streams: {
    send(message: WatchJobMetricsResponse): void;
    fail(error: unknown): void;
  }[] = [];
  const loads = vi.fn(load);
  const follower = new MetricsFollower(
    {
      load: loads,
      async *open() {
        const waiting: (() => WatchJobMetricsResponse)[] = [];
        let wake = () => {};
        const put = (step: () => WatchJobMetricsResponse) => {
          waiting.push(step);
          wake();
        };
        streams.push({
          send: (message) => put(() => message),
          fail: (error) =>
            put(() => {
              throw error;
            }),
        });
        for (;;) {
          while (waiting.length === 0) {
            await new Promise<void>((resolve) => (wake = resolve));
          }
          yield waiting.shift()!();
        }
      },
      onView: (view) => views.push(view),
      onSessionEnd,
    },
    isRunning,
  );
  follower.start();
  return { follower, views, streams, loads, onSessionEnd };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const fails = (code: Code) => () =>
  Promise.reject(new ConnectError("no", code));
const oneValue = () => Promise.resolve(loaded(5, { name: kName, values: [1] }));
const sent = (atS: number, value: number) =>
  create(WatchJobMetricsResponseSchema, {
    nodes: [samples(kName, [atS], [value])],
  });

describe("the metrics of a job", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("are asked for once if the portal has none", async () => {
    const { views, loads, streams } = follow(
      fails(Code.FailedPrecondition),
      true,
    );
    await pass(3_600_000);
    expect(loads).toHaveBeenCalledOnce();
    expect(streams).toHaveLength(0);
    expect(views.at(-1)!.failure!.code).toBe(Code.FailedPrecondition);
  });

  it("are asked for again while the service is away", async () => {
    const { loads, views } = follow(fails(Code.Unavailable), true);
    await pass(60_000);
    expect(loads.mock.calls.length).toBeGreaterThan(2);
    expect(views.at(-1)!.grid).toBeUndefined();
  });

  it("end with the session", async () => {
    const { onSessionEnd, loads } = follow(fails(Code.Unauthenticated), true);
    await pass(60_000);
    expect(onSessionEnd).toHaveBeenCalledOnce();
    expect(loads).toHaveBeenCalledOnce();
  });

  it("of an ended job open no stream", async () => {
    const { streams, views } = follow(oneValue, false);
    await pass(60_000);
    expect(streams).toHaveLength(0);
    expect(views.at(-1)!.grid!.length).toBe(1);
  });

  it("of a running job grow with the stream", async () => {
    const { streams, views, follower } = follow(oneValue, true);
    await pass(0);
    streams[0]!.send(sent(5, 2));
    await pass(0);
    const { grid, link, version } = views.at(-1)!;
    expect(grid!.named(kName)[0]!.values).toEqual([1, 2]);
    expect(link).toBe("live");
    expect(version).toBe(2);
    follower.stop();
  });

  it("are loaded again after an interruption of the stream", async () => {
    const { streams, loads, follower } = follow(oneValue, true);
    await pass(0);
    streams[0]!.send(sent(5, 2));
    await pass(0);
    streams[0]!.fail(new ConnectError("lost", Code.Unavailable));
    await pass(1000);
    expect(loads).toHaveBeenCalledOnce();
    streams[1]!.send(sent(60, 3));
    await pass(0);
    expect(loads).toHaveBeenCalledTimes(2);
    follower.stop();
  });
});
