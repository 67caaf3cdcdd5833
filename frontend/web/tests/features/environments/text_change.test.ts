import { describe, expect, it } from "vitest";
import { changeOf } from "../../../src/features/environments/text_change";

describe("the change of a text", () => {
  it("is undefined for equal texts", () => {
    expect(changeOf("", "")).toBeUndefined();
    expect(changeOf("a\n", "a\n")).toBeUndefined();
  });

  it("is only the part that differs", () => {
    for (const [old, next, from, to, insert] of [
      ["", "ab", 0, 0, "ab"],
      ["ab", "", 0, 2, ""],
      ['a = "x"\n', 'a = "y"\n', 5, 6, "y"],
      ["aa", "aaa", 2, 2, "a"],
      ["aaa", "aa", 2, 3, ""],
      ["abab", "ab", 2, 4, ""],
    ] as const) {
      expect(changeOf(old, next)).toEqual({ from, to, insert });
      expect(old.slice(0, from) + insert + old.slice(to)).toBe(next);
    }
  });
});
