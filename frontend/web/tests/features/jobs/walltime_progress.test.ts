import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { JobState, StageItemSchema } from "#proto/jobs";
import { walltimeProgress } from "../../../src/features/jobs/walltime_progress";
import { kMinute, kNow, sampleJob } from "./sample_job";

const hour = (state: JobState) =>
  sampleJob("a", state, {
    startedAt: timestampFromMs(kNow),
    endsAt: timestampFromMs(kNow + 60 * kMinute),
  });
const at = (minutes: number) =>
  walltimeProgress(hour(JobState.READY), kNow + minutes * kMinute);

describe("the walltime progress", () => {
  it("is undefined for pending, stopping and ended jobs", () => {
    const waiting = sampleJob("a", JobState.PENDING);
    expect(walltimeProgress(waiting, kNow)).toBeUndefined();
    for (const state of [JobState.STOPPING, JobState.ENDED]) {
      expect(walltimeProgress(hour(state), kNow)).toBeUndefined();
    }
  });

  it("shows remaining and used time", () => {
    expect(at(15)).toMatchObject({ leftMs: 45 * kMinute, percent: 25 });
  });

  it("is never negative", () => {
    expect(at(61)).toMatchObject({ leftMs: 0, percent: 100 });
  });

  it("never exceeds the walltime if the clock is behind", () => {
    expect(at(-5)).toMatchObject({ leftMs: 60 * kMinute, percent: 0 });
  });

  it("ends early only to copy results of longer jobs", () => {
    const early = (
      minutes: number,
      stageOut: { from: string; to: string }[],
    ) => {
      const job = sampleJob("a", JobState.READY, {
        startedAt: timestampFromMs(kNow),
        endsAt: timestampFromMs(kNow + minutes * kMinute),
      });
      job.spec!.stageOut = stageOut.map((item) =>
        create(StageItemSchema, item),
      );
      return walltimeProgress(job, kNow)?.earlyMs;
    };
    const results = [{ from: "a", to: "b" }];
    expect(early(60, [])).toBe(0);
    expect(early(9, results)).toBe(0);
    expect(early(10, results)).toBe(kMinute);
    expect(early(1000, results)).toBe(10 * kMinute);
  });

  it("warns in the last tenth", () => {
    expect(at(53)?.nearEnd).toBe(false);
    expect(at(54)?.nearEnd).toBe(true);
  });
});
