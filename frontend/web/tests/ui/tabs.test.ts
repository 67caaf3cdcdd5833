import { describe, expect, it } from "vitest";
import { nextTab } from "../../src/ui/tabs";

describe("keyboard navigation of tabs", () => {
  it("ignores other keys", () => {
    expect(nextTab("Enter", 0, 3)).toBeUndefined();
    expect(nextTab("ArrowDown", 0, 3)).toBeUndefined();
  });

  it("wraps around at both ends", () => {
    expect(nextTab("ArrowRight", 2, 3)).toBe(0);
    expect(nextTab("ArrowLeft", 0, 3)).toBe(2);
    expect(nextTab("End", 0, 3)).toBe(2);
    expect(nextTab("Home", 2, 3)).toBe(0);
  });
});
