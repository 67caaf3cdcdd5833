import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { JobEnd, JobState } from "#proto/jobs";
import {
  endLabel,
  expectedStart,
  gpuLabel,
  currentActivity,
  sizeLabel,
  stateLabel,
} from "../../../src/features/jobs/job_labels";
import { kMinute, kNow, sampleJob } from "./sample_job";

describe("job labels", () => {
  it("prefer the server's reason", () => {
    const job = sampleJob("a", JobState.PENDING, { reason: "priority" });
    expect(currentActivity(job)).toBe("priority");
    expect(currentActivity(sampleJob("a", JobState.PENDING))).toBe("Queued");
  });

  it("mark failures", () => {
    const ended = (end: JobEnd) => sampleJob("a", JobState.ENDED, { end });
    expect(stateLabel(ended(JobEnd.OUT_OF_MEMORY)).tone).toBe("bad");
    expect(stateLabel(ended(JobEnd.STOPPED)).tone).toBe("neutral");
  });

  it("show the exit code only for failures", () => {
    const failed = { end: JobEnd.FAILED, exitCode: 137 };
    expect(endLabel(sampleJob("a", JobState.ENDED, failed))).toBe(
      "Failed, exit code 137",
    );
    const stopped = { end: JobEnd.STOPPED, exitCode: 143 };
    expect(endLabel(sampleJob("a", JobState.ENDED, stopped))).toBe("Stopped");
    const done = { end: JobEnd.COMPLETED };
    expect(endLabel(sampleJob("a", JobState.ENDED, done))).toBe("Finished");
  });

  it("show the resources", () => {
    const two = { nodes: 1, gpusPerNode: 2, gpuType: "a100" };
    expect(gpuLabel(two)).toBe("2 × a100");
    expect(gpuLabel({ ...two, nodes: 4 })).toBe("4 nodes with 2 × a100 each");
    expect(gpuLabel({ ...two, gpuType: "" })).toBe("2 × any GPU");
    expect(gpuLabel({ ...two, gpusPerNode: 0 })).toBe("CPU only");
    expect(
      sizeLabel({ ...two, cpusPerNode: 1, memoryPerNodeMib: 65536n }),
    ).toEqual(["2 × a100", "1 CPU", "64 GiB"]);
  });

  it("show the expected start of a pending job", () => {
    const lazy = { expectedStart: timestampFromMs(kNow + 90 * kMinute) };
    expect(expectedStart(sampleJob("a", JobState.PENDING, lazy), kNow)).toMatch(
      /^expected to start at about .*\d\d:\d\d$/,
    );
    expect(expectedStart(sampleJob("a", JobState.PENDING), kNow)).toBe("");
    expect(expectedStart(sampleJob("a", JobState.STARTING, lazy), kNow)).toBe(
      "",
    );
    const past = { expectedStart: timestampFromMs(kNow - kMinute) };
    expect(expectedStart(sampleJob("a", JobState.PENDING, past), kNow)).toBe(
      "",
    );
  });

  it("handle an unknown state", () => {
    expect(stateLabel(sampleJob("a", 99 as JobState)).key).toBe("unknown");
  });
});
