import { describe, expect, it } from "vitest";
import {
  countMatches,
  kMaxMatches,
  splitAtMatches,
} from "../../../../src/features/jobs/log/log_search";

describe("the search in a log", () => {
  it("finds nothing without a text", () => {
    expect(countMatches("abc", "")).toBe(0);
    expect(splitAtMatches("abc", "")).toEqual(["abc"]);
  });

  it("takes special characters as they are", () => {
    expect(countMatches("a.b axb", "a.b")).toBe(1);
  });

  it("ignores case and keeps the text", () => {
    expect(splitAtMatches("Error: İerror", "ERROR")).toEqual([
      "",
      "Error",
      ": İ",
      "error",
      "",
    ]);
  });

  it("stops counting", () => {
    expect(countMatches("x".repeat(2 * kMaxMatches), "x")).toBe(kMaxMatches);
  });
});
