import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ArrayProgressSchema, JobSpecSchema, JobState } from "#proto/jobs";
import {
  arrayLabel,
  arrayOfTasks,
  batchDetails,
  isArray,
  isBatch,
  tasksOf,
} from "../../../src/features/jobs/array_labels";
import {
  currentActivity,
  stateLabel,
} from "../../../src/features/jobs/job_labels";
import { sampleJob } from "./sample_job";

const array = create(ArrayProgressSchema, {
  total: 10,
  pending: 4,
  running: 2,
  completed: 2,
  failed: 1,
});

describe("an array", () => {
  it("shows the number of tasks in each state, and unknown ones", () => {
    expect(arrayLabel(array)).toBe(
      "2 of 10 done · 2 running · 4 waiting · 1 failed or stopped · 1 unknown",
    );
    expect(
      arrayLabel(create(ArrayProgressSchema, { total: 3, completed: 3 })),
    ).toBe("3 of 3 done");
  });

  it.each([
    ["0-3%2", [0, 1, 2, 3]],
    ["1,3,5", [1, 3, 5]],
    ["0-9:4", [0, 4, 8]],
    ["", []],
    ["x", []],
  ])("%j has the tasks %j", (text, tasks) => {
    expect(tasksOf(text)).toEqual(tasks);
  });
});

describe("the indices of some tasks", () => {
  it("are ranges where tasks follow each other", () => {
    expect(arrayOfTasks([4, 1, 3, 5], "0-9")).toBe("1,3-5");
    expect(arrayOfTasks([7], "0-9")).toBe("7");
  });
  it("keep the limit of tasks at once", () => {
    expect(arrayOfTasks([0, 2], "0-9%4")).toBe("0,2%4");
  });
  it("name these tasks again", () => {
    const tasks = [0, 1, 2, 9, 11];
    expect(tasksOf(arrayOfTasks(tasks, "0-20%3"))).toEqual(tasks);
  });
});

describe("a batch job", () => {
  const batch = (more: object, state = JobState.READY) =>
    sampleJob("a", state, {
      spec: create(JobSpecSchema, {
        batch: { command: "make all\nls", ...more },
      }),
    });

  it("runs where an interactive one is ready", () => {
    expect(stateLabel(batch({})).label).toBe("Running");
    expect(stateLabel(sampleJob("a", JobState.READY)).label).toBe("Ready");
    expect(currentActivity(batch({}, JobState.STARTING))).toBe(
      "Starting the environment…",
    );
  });

  it("shows what it runs and the number of tasks", () => {
    expect(batchDetails(batch({}))).toEqual(["make all"]);
    expect(batchDetails({ ...batch({ array: "0-9%4" }), array })).toEqual([
      "make all",
      "10 tasks, at most 4 at once",
    ]);
    expect(batchDetails(batch({ command: "x".repeat(50) }))).toEqual([
      `${"x".repeat(40)}…`,
    ]);
    expect(batchDetails(sampleJob("a", JobState.READY))).toEqual([]);
    expect(isBatch(batch({}))).toBe(true);
    expect(isArray(batch({}))).toBe(false);
    expect(isArray(batch({ array: "0-1" }))).toBe(true);
  });
});
