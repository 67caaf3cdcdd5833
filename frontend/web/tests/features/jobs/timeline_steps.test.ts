import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { BatchSpecSchema, JobEnd, JobSpecSchema, JobState } from "#proto/jobs";
import { timelineOf } from "../../../src/features/jobs/timeline_steps";
import { kMinute, kNow, sampleJob } from "./sample_job";

const kApp = "JupyterLab";
const at = (minutes: number) => timestampFromMs(kNow + minutes * kMinute);
const inImage = create(JobSpecSchema, { nodes: 1, image: "base:1" });
const states = (steps: ReturnType<typeof timelineOf>) =>
  steps.map(({ id, state }) => `${id} ${state}`);

describe("the timeline of a job", () => {
  it("of a job that was refused has no step that it did not reach", () => {
    const job = sampleJob("a", JobState.ENDED, {
      end: JobEnd.NOT_SUBMITTED,
      spec: inImage,
      endsAt: at(1),
    });
    expect(states(timelineOf(job, kApp, undefined, kNow))).toEqual([
      "queued done",
      "ended failed",
    ]);
  });

  it("of a pending job waits in the queue, with the time so far", () => {
    const job = sampleJob("a", JobState.PENDING, { spec: inImage });
    const steps = timelineOf(job, kApp, undefined, kNow + 3 * kMinute);
    expect(states(steps)).toEqual([
      "queued current",
      "allocated coming",
      "container coming",
      "app coming",
    ]);
    expect(steps[0]!.tookMs).toBe(3 * kMinute);
    expect(steps[1]!.atMs).toBeUndefined();
  });

  it("has the time between two known steps", () => {
    const job = sampleJob("a", JobState.READY, {
      spec: inImage,
      startedAt: at(2),
      readyAt: at(4),
    });
    const container = kNow + 3 * kMinute;
    const steps = timelineOf(job, kApp, container, kNow + 9 * kMinute);
    expect(steps.map(({ tookMs }) => (tookMs ?? 0) / kMinute)).toEqual([
      2, 1, 1, 5,
    ]);
    expect(steps[3]!.title).toBe("JupyterLab ready");
  });

  it("invents no time of a container", () => {
    const job = sampleJob("a", JobState.READY, {
      spec: inImage,
      startedAt: at(2),
      readyAt: at(4),
    });
    const steps = timelineOf(job, kApp, undefined, kNow + 9 * kMinute);
    expect(steps[2]).toEqual({
      id: "container",
      title: "Container",
      state: "done",
    });
    expect(steps[1]!.tookMs).toBe(2 * kMinute);
  });

  it("of an ended job has no time that goes on", () => {
    const job = sampleJob("a", JobState.ENDED, {
      end: JobEnd.COMPLETED,
      spec: create(JobSpecSchema, {
        nodes: 1,
        image: "none",
        batch: create(BatchSpecSchema, { command: "true" }),
      }),
      startedAt: at(1),
      readyAt: at(1),
      endsAt: at(3),
    });
    const steps = timelineOf(job, kApp, undefined, kNow + 60 * kMinute);
    expect(states(steps)).toEqual([
      "queued done",
      "allocated done",
      "app done",
      "ended done",
    ]);
    expect(steps[2]).toMatchObject({ title: "Running", tookMs: 2 * kMinute });
  });
});
