import { expect, test } from "vitest";
import { JobState } from "#proto/jobs";
import { jobFilterOf, kAllJobs } from "../../../src/features/admin/jobs_filter";

test("jobs of all: an unknown state filters nothing", () => {
  expect(jobFilterOf({ ...kAllJobs, state: "lost" }).states).toEqual([]);
});

test("jobs of all: running jobs are those that start and that are ready", () => {
  const filter = { ...kAllJobs, state: "running", owner: " ada " };
  expect(jobFilterOf(filter)).toEqual({
    search: "",
    owner: "ada",
    partition: "",
    project: "",
    states: [JobState.STARTING, JobState.READY],
  });
});
