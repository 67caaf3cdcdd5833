import { describe, expect, it } from "vitest";
import {
  combined,
  lastOf,
  meanOf,
  sinceStart,
} from "../../../src/features/comparison/combined_series";

const kGap = Number.NaN;

describe("combined series", () => {
  it("have no value where a part of a sum is missing", () => {
    expect(
      combined(
        [
          [1, kGap, 3],
          [10, 20],
        ],
        "sum",
      ),
    ).toEqual([11, kGap, kGap]);
  });

  it("have the mean of the values that there are", () => {
    expect(
      combined(
        [
          [1, kGap, kGap],
          [3, 5, kGap],
        ],
        "mean",
      ),
    ).toEqual([2, 5, kGap]);
  });

  it("are nothing without series", () => {
    expect(combined([], "sum")).toEqual([]);
  });
});

describe("values since the start", () => {
  it("are gaps before the first and after the last value", () => {
    const timed = { fromMs: 10_000, stepS: 5, values: [1, 2] };
    expect(sinceStart(timed, 0, 5, 5)).toEqual([kGap, kGap, 1, 2, kGap]);
  });

  it("are the latest ones on a coarser grid", () => {
    const timed = { fromMs: 0, stepS: 5, values: [1, 2, 3, 4] };
    expect(sinceStart(timed, 0, 10, 2)).toEqual([1, 3]);
  });

  it("begin with the first value if the start is within its step", () => {
    const timed = { fromMs: 1000, stepS: 1, values: [1, 2] };
    expect(sinceStart(timed, 1400, 1, 2)).toEqual([1, 2]);
  });
});

describe("the mean and the last value", () => {
  it("are not known of gaps alone", () => {
    expect(meanOf([kGap])).toBeUndefined();
    expect(lastOf([kGap])).toBeUndefined();
  });

  it("leave out gaps", () => {
    expect(meanOf([1, kGap, 3])).toBe(2);
    expect(lastOf([1, 3, kGap])).toBe(3);
  });
});
