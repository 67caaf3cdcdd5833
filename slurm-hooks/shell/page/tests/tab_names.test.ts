import { describe, expect, it } from "vitest";
import { freeName, neighbour } from "../src/tab_names";

describe("the names of tabs", () => {
  it("are the smallest free numbers", () => {
    expect(freeName([])).toBe("1");
    expect(freeName(["1", "3", "build"])).toBe("2");
  });

  it("give way to the next tab, else to the one before", () => {
    expect(neighbour(["1", "2", "3"], "2")).toBe("3");
    expect(neighbour(["1", "2", "3"], "3")).toBe("2");
    expect(neighbour(["1"], "1")).toBeUndefined();
  });
});
