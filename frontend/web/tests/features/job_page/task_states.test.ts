import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ArrayProgressSchema } from "#proto/jobs";
import {
  failedTasks,
  outcomeOf,
  stateOfAll,
  type TaskState,
} from "../../../src/features/job_page/task_states";

const progress = (counts: {
  total: number;
  pending?: number;
  running?: number;
  completed?: number;
  failed?: number;
}) => create(ArrayProgressSchema, counts);
const kMixed = progress({ total: 4, running: 1, completed: 2, failed: 1 });
const ended = (code: number, signal = 0) =>
  `2026-11-21T12:00:07.000Z info batch job ended exit_code=${code} signal=${signal}\n`;

describe("the state of a task", () => {
  it("is unknown if nothing tells it", () => {
    const done = progress({ total: 2, completed: 1, failed: 1 });
    expect(outcomeOf(undefined, done).state).toBe("unknown");
    expect(outcomeOf("output\n", done).state).toBe("unknown");
  });

  it("is not taken from what a program writes", () => {
    expect(
      outcomeOf("batch job ended exit_code=0 signal=0\n", kMixed).state,
    ).toBe("running");
  });

  it("is that of its exit code or signal", () => {
    expect(outcomeOf(ended(3), kMixed)).toEqual({
      state: "failed",
      detail: "exit 3",
    });
    expect(outcomeOf(ended(0, 9), kMixed)).toEqual({
      state: "failed",
      detail: "signal 9",
    });
    expect(outcomeOf(ended(0), kMixed)).toEqual({
      state: "finished",
      detail: "",
    });
  });

  it("waits without output while tasks are pending", () => {
    const waiting = progress({ total: 2, pending: 1, completed: 1 });
    expect(outcomeOf(undefined, waiting).state).toBe("waiting");
  });
});

describe("the state of all tasks", () => {
  it("is unknown if tasks differ or some are not reported", () => {
    expect(stateOfAll(kMixed)).toBeUndefined();
    expect(stateOfAll(progress({ total: 2, completed: 1 }))).toBeUndefined();
    expect(stateOfAll(progress({ total: 0 }))).toBeUndefined();
  });

  it("is that of each one", () => {
    expect(stateOfAll(progress({ total: 2, completed: 2 }))).toBe("finished");
    expect(stateOfAll(progress({ total: 2, pending: 2 }))).toBe("waiting");
  });
});

describe("the failed tasks of an array", () => {
  const outcomes = (...states: TaskState[]) =>
    new Map(states.map((state, task) => [task, { state, detail: "" }]));

  it("are not named before every state is known", () => {
    const array = progress({ total: 3, completed: 2, failed: 1 });
    expect(
      failedTasks([0, 1, 2], outcomes("failed", "finished"), array),
    ).toBeUndefined();
  });
  it("are not named if the states do not match the counts", () => {
    const array = progress({ total: 3, completed: 1, failed: 2 });
    expect(
      failedTasks([0, 1, 2], outcomes("failed", "finished", "finished"), array),
    ).toBeUndefined();
  });
  it("of an ended array are also those without an end in their log", () => {
    const array = progress({ total: 3, completed: 1, failed: 2 });
    expect(
      failedTasks([0, 1, 2], outcomes("failed", "finished", "unknown"), array),
    ).toEqual([0, 2]);
  });
  it("of a running array are only those that have ended", () => {
    const array = progress({ total: 3, running: 1, completed: 1, failed: 1 });
    expect(
      failedTasks([0, 1, 2], outcomes("failed", "finished", "running"), array),
    ).toEqual([0]);
  });
});
