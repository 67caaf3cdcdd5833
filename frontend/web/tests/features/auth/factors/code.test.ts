import { describe, expect, it } from "vitest";
import {
  digitsOf,
  secretGroups,
} from "../../../../src/features/auth/factors/code";

describe("a one-time code", () => {
  it("accepts pasted spaces and stays six digits", () => {
    expect(digitsOf(" 123 456\n")).toBe("123456");
    expect(digitsOf("1234567")).toBe("123456");
    expect(digitsOf("abc")).toBe("");
  });
});

describe("the enrollment secret", () => {
  it("is shown in groups of four", () => {
    expect(secretGroups("JBSWY3DPEHPK3")).toEqual([
      "JBSW",
      "Y3DP",
      "EHPK",
      "3",
    ]);
    expect(secretGroups("")).toEqual([]);
  });
});
