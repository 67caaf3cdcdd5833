import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { JobState } from "#proto/jobs";
import {
  applyAnswer,
  applyWatch,
  endedEpochOf,
  type JobList,
  kNoJobsYet,
} from "../../../src/features/jobs/job_list_state";
import { change, kMinute, kNow, sampleJob, snapshot } from "./sample_job";

const { SUBMITTING, PENDING, STARTING, READY, STOPPING, ENDED } = JobState;

const ids = (list: JobList) => list.jobs.map(({ id }) => id);
const stateOf = (list: JobList, id: string) =>
  list.jobs.find((job) => job.id === id)?.state;
const listOf = (...jobs: ReturnType<typeof sampleJob>[]) =>
  applyWatch(kNoJobsYet, snapshot(...jobs));

describe("the epoch of ended jobs", () => {
  it("is not known before the first snapshot", () => {
    expect(endedEpochOf(kNoJobsYet)).toBe("");
    expect(endedEpochOf(listOf())).not.toBe("");
  });

  it("changes only when a job has ended", () => {
    const list = listOf(sampleJob("a", PENDING), sampleJob("b", READY));
    const before = endedEpochOf(list);
    const moved = applyWatch(list, change(sampleJob("a", STARTING)));
    const added = applyWatch(moved, change(sampleJob("c", SUBMITTING)));
    expect(endedEpochOf(added)).toBe(before);
    const ended = applyWatch(added, change(sampleJob("b", ENDED)));
    expect(endedEpochOf(ended)).not.toBe(before);
    const again = applyWatch(ended, change(sampleJob("b", ENDED)));
    expect(endedEpochOf(again)).toBe(endedEpochOf(ended));
  });
});

describe("the job list", () => {
  it("is not loaded before the first snapshot", () => {
    expect(kNoJobsYet.loaded).toBe(false);
    expect(listOf().loaded).toBe(true);
  });

  it("removes jobs missing from a snapshot", () => {
    const list = listOf(sampleJob("a", READY), sampleJob("b", PENDING));
    expect(ids(applyWatch(list, snapshot(sampleJob("b", PENDING))))).toEqual([
      "b",
    ]);
  });

  it("updates one job", () => {
    const list = listOf(sampleJob("a", READY), sampleJob("b", PENDING));
    const next = applyWatch(list, change(sampleJob("b", STARTING)));
    expect(stateOf(next, "a")).toBe(READY);
    expect(stateOf(next, "b")).toBe(STARTING);
  });

  it("accepts an earlier state from the stream", () => {
    const list = listOf(sampleJob("a", READY));
    const next = applyWatch(list, change(sampleJob("a", PENDING)));
    expect(stateOf(next, "a")).toBe(PENDING);
  });

  it("is unchanged by heartbeats", () => {
    const list = listOf(sampleJob("a", READY));
    expect(applyWatch(list, change())).toBe(list);
  });

  it("is sorted newest first", () => {
    const older = { createdAt: timestampFromMs(kNow - kMinute) };
    const list = listOf(sampleJob("old", READY, older));
    const next = applyWatch(list, change(sampleJob("new", PENDING)));
    expect(ids(next)).toEqual(["new", "old"]);
  });
});

describe("the jobs of several clusters", () => {
  const on = (cluster: string, id: string) => sampleJob(id, READY, { cluster });
  const both = applyWatch(
    applyWatch(kNoJobsYet, snapshot(on("alpha", "a")), "alpha"),
    snapshot(on("beta", "b")),
    "beta",
  );

  it("are merged", () => {
    expect(ids(both).sort()).toEqual(["a", "b"]);
    expect(both.clusters).toEqual(["alpha", "beta"]);
  });

  it("are removed by a snapshot of their own cluster only", () => {
    expect(ids(applyWatch(both, snapshot(), "beta"))).toEqual(["a"]);
  });

  it("do not replace each other with the same id", () => {
    const next = applyWatch(both, change(on("beta", "a")), "beta");
    expect(ids(next).sort()).toEqual(["a", "a", "b"]);
    const stopped = sampleJob("a", STOPPING, { cluster: "beta" });
    expect(applyAnswer(both, stopped).jobs).toHaveLength(3);
  });
});

describe("the response of a call", () => {
  it("adds a new job", () => {
    expect(ids(applyAnswer(listOf(), sampleJob("a", SUBMITTING)))).toEqual([
      "a",
    ]);
  });

  it("advances a job", () => {
    const list = listOf(sampleJob("a", READY));
    expect(stateOf(applyAnswer(list, sampleJob("a", STOPPING)), "a")).toBe(
      STOPPING,
    );
  });

  it("never moves a job back", () => {
    const list = listOf(sampleJob("a", STARTING));
    expect(applyAnswer(list, sampleJob("a", SUBMITTING))).toBe(list);
  });
});
