import { describe, expect, it } from "vitest";
import {
  effectOf,
  kClosed,
  kOpened,
} from "../../src/ui/combobox/combobox_state";

describe("a combobox", () => {
  it("leaves keys to the form when nothing is chosen", () => {
    expect(effectOf("Enter", kOpened, 3)).toBeUndefined();
    expect(effectOf("Enter", kClosed, 3)).toBeUndefined();
    expect(effectOf("Escape", kClosed, 3)).toBeUndefined();
    expect(effectOf("Tab", { open: true, active: 1 }, 3)).toBeUndefined();
    expect(effectOf("a", { open: true, active: 1 }, 3)).toBeUndefined();
  });

  it("does not open without options", () => {
    expect(effectOf("ArrowDown", kClosed, 0)).toBeUndefined();
  });

  it("opens and moves with the arrow keys, around the ends", () => {
    expect(effectOf("ArrowDown", kClosed, 2)).toEqual({
      state: { open: true, active: 0 },
    });
    expect(effectOf("ArrowDown", { open: true, active: 1 }, 2)).toEqual({
      state: { open: true, active: 0 },
    });
    expect(effectOf("ArrowUp", kOpened, 2)).toEqual({
      state: { open: true, active: 1 },
    });
  });

  it("picks the chosen option with Enter, and closes with Escape", () => {
    expect(effectOf("Enter", { open: true, active: 1 }, 2)).toEqual({
      pick: 1,
    });
    expect(effectOf("Escape", { open: true, active: 1 }, 2)).toEqual({
      state: kClosed,
    });
  });
});
