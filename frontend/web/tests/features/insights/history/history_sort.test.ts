import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { HistoryJobSchema } from "#proto/history";
import {
  kNewestFirst,
  nextOrder,
  sortedJobs,
  waitedMs,
} from "../../../../src/features/insights/history/history_sort";

const job = (
  id: string,
  created: number,
  started: number | undefined,
  ended: number,
  gpuSeconds = 0n,
) =>
  create(HistoryJobSchema, {
    id,
    spec: { name: id },
    createdAt: timestampFromMs(created),
    ...(started !== undefined && { startedAt: timestampFromMs(started) }),
    endedAt: timestampFromMs(ended),
    gpuSeconds,
  });
const jobs = [
  job("never", 0, undefined, 5000),
  job("Short", 0, 1000, 2000, 9n),
  job("long", 0, 3000, 9000, 80n),
];
const ids = (...args: Parameters<typeof sortedJobs>) =>
  sortedJobs(...args).map(({ id }) => id);

describe("the history", () => {
  it("lists jobs that never started last in both directions", () => {
    const column = "waited" as const;
    expect(ids(jobs, { column, descending: true }).at(-1)).toBe("never");
    expect(ids(jobs, { column, descending: false }).at(-1)).toBe("never");
    expect(waitedMs(jobs[0]!)).toBeUndefined();
  });

  it("is sorted by numbers as numbers and by names without case", () => {
    expect(ids(jobs, { column: "gpu", descending: true })).toEqual([
      "long",
      "Short",
      "never",
    ]);
    expect(ids(jobs, { column: "name", descending: false })).toEqual([
      "long",
      "never",
      "Short",
    ]);
  });

  it("is reversed when its column is selected again", () => {
    const once = nextOrder(kNewestFirst, "ran");
    expect(once).toEqual({ column: "ran", descending: true });
    expect(nextOrder(once, "ran").descending).toBe(false);
    expect(nextOrder(once, "name").descending).toBe(false);
  });
});
