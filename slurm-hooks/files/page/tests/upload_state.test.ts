import { describe, expect, test } from "vitest";
import type { Task } from "../src/api/types";
import { kNoTasks, newlyEnded, tasksReducer } from "../src/tasks/task_state";
import { SpeedMeter } from "../src/uploads/speed";
import {
  kNoUploads,
  type Upload,
  uploadsReducer,
  uploadTotals,
} from "../src/uploads/upload_state";

function upload(id: number, change: Partial<Upload> = {}): Upload {
  return {
    id,
    path: `/a/${id}`,
    size: 10,
    sent: 0,
    status: "queued",
    ...change,
  };
}

describe("uploads", () => {
  test("change by their ids", () => {
    const uploads = [upload(1), upload(2)];
    const added = uploadsReducer(kNoUploads, { type: "add", uploads });
    const changes = new Map([[2, { sent: 5 }]]);
    const state = uploadsReducer(added, { type: "change", changes });
    expect(state.uploads.map(({ sent }) => sent)).toEqual([0, 5]);
  });

  test("that run stay when the ended ones are cleared", () => {
    const uploads = (
      ["done", "failed", "sending", "asking", "skipped"] as const
    ).map((status, id) => upload(id, { status }));
    const added = uploadsReducer(kNoUploads, { type: "add", uploads });
    const state = uploadsReducer(added, { type: "clear ended" });
    expect(state.uploads.map(({ id }) => id)).toEqual([2, 3]);
  });

  test("count without those that are skipped or cancelled", () => {
    const totals = uploadTotals([
      upload(1, { status: "done", sent: 10 }),
      upload(2, { status: "sending", sent: 4 }),
      upload(3, { status: "failed", sent: 1 }),
      upload(4, { status: "skipped" }),
      upload(5, { status: "cancelled" }),
    ]);
    expect(totals).toEqual({
      running: 1,
      done: 1,
      failed: 1,
      sentBytes: 15,
      totalBytes: 30,
    });
  });
});

describe("the speed", () => {
  test("is that of the last seconds", () => {
    const meter = new SpeedMeter();
    expect(meter.bytesPerSecond(0)).toBe(0);
    meter.add(0, 0);
    meter.add(10_000, 0);
    meter.add(11_000, 5000);
    expect(meter.bytesPerSecond(11_000)).toBe(5000);
    meter.add(12_000, 5000);
    expect(meter.bytesPerSecond(12_000)).toBe(2500);
  });

  test("is not negative after a retry", () => {
    const meter = new SpeedMeter();
    meter.add(0, 5000);
    meter.add(1000, 0);
    expect(meter.bytesPerSecond(1000)).toBe(0);
  });
});

describe("tasks", () => {
  const task = (id: string, state: Task["state"]): Task => ({
    id,
    kind: "copy",
    path: "/a",
    state,
    files: 0,
    bytes: 0,
  });

  test("are newest first, by number", () => {
    const tasks = [task("9", "done"), task("10", "running")];
    const state = tasksReducer(kNoTasks, { type: "listed", tasks });
    expect(state.tasks.map(({ id }) => id)).toEqual(["10", "9"]);
  });

  test("that were cleared do not come back", () => {
    const tasks = [task("1", "done"), task("2", "running")];
    const listed = tasksReducer(kNoTasks, { type: "listed", tasks });
    const cleared = tasksReducer(listed, { type: "clear ended" });
    const again = tasksReducer(cleared, { type: "listed", tasks });
    expect(again.tasks.map(({ id }) => id)).toEqual(["2"]);
  });

  test("end once", () => {
    const earlier = [task("1", "running"), task("2", "done")];
    const now = [task("1", "failed"), task("2", "done"), task("3", "done")];
    expect(newlyEnded(earlier, now).map(({ id }) => id)).toEqual(["1", "3"]);
    expect(newlyEnded(now, now)).toEqual([]);
  });
});
