import { describe, expect, it } from "vitest";
import { ratesOf } from "../../../src/features/metrics/series/rates";
import { kGap } from "./sample_metrics";

describe("the rate of a counter", () => {
  it("is a gap where the counter has one, never zero", () => {
    expect(ratesOf([0, 10, kGap, kGap, kGap, kGap, 60], 5)).toEqual([
      kGap,
      2,
      kGap,
      kGap,
      kGap,
      kGap,
      kGap,
    ]);
  });

  it("starts again after a reset and is never negative", () => {
    expect(ratesOf([100, 110, 0, 10, 20], 5)).toEqual([kGap, 2, kGap, 2, 2]);
  });

  it("is taken over 15 s, so that a late sample is no peak", () => {
    expect(ratesOf([0, 5, 10, 10, 20, 25], 5)).toEqual([
      kGap,
      1,
      1,
      10 / 15,
      1,
      1,
    ]);
  });

  it("is taken over one step if steps are longer", () => {
    expect(ratesOf([0, 60, 60, 180], 60)).toEqual([kGap, 1, 0, 2]);
  });
});
