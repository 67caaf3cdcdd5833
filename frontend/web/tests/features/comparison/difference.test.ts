import { describe, expect, it } from "vitest";
import { differenceOf } from "../../../src/features/comparison/difference";

describe("a difference", () => {
  it("is none if only the rounding differs", () => {
    expect(differenceOf(0.3, 0.1 + 0.2, String, "less")).toBeUndefined();
  });

  it("does not exist if a value is not known", () => {
    expect(differenceOf(undefined, 1, String, "more")).toBeUndefined();
    expect(differenceOf(1, undefined, String, "more")).toBeUndefined();
  });

  it("has the amount with its sign, and the share of the first value", () => {
    expect(differenceOf(8, 10, String, undefined)?.text).toBe("+2 (+25 %)");
    expect(differenceOf(8, 6, String, undefined)?.text).toBe("−2 (−25 %)");
    expect(differenceOf(1, 14, String, undefined)?.text).toBe("+13 (+1,300 %)");
  });

  it("has no share of zero", () => {
    expect(differenceOf(0, 2, String, "more")).toEqual({
      text: "+2",
      verdict: "better",
    });
  });

  it("does not exist between equal values", () => {
    expect(differenceOf(0, 0, String, "more")).toBeUndefined();
  });

  it("is better or worse only where that is clear", () => {
    const verdict = (other: number, better?: "more" | "less") =>
      differenceOf(100, other, String, better)?.verdict;
    expect(verdict(150)).toBeUndefined();
    expect(verdict(150, "more")).toBe("better");
    expect(verdict(50, "more")).toBe("worse");
    expect(verdict(150, "less")).toBe("worse");
    expect(verdict(50, "less")).toBe("better");
    expect(verdict(100.9, "more")).toBeUndefined();
    expect(differenceOf(1, 5, String, "less", 10)?.verdict).toBeUndefined();
    expect(differenceOf(1, 11, String, "less", 10)?.verdict).toBe("worse");
  });
});
