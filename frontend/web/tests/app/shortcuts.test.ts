import { describe, expect, it } from "vitest";
import { type KeyPress, shortcutOf } from "../../src/app/shortcuts";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  control: false,
  alternate: false,
  typing: false,
  ...more,
});

describe("a shortcut", () => {
  it("of a single key is ignored in a text field", () => {
    for (const key of ["?", "n"]) {
      expect(
        shortcutOf(press(key, { typing: true }), "", true),
      ).toBeUndefined();
    }
    const go = press("c", { typing: true });
    expect(shortcutOf(go, "g", true)).toBeUndefined();
  });

  it("of a single key can be disabled, but not Ctrl-K", () => {
    expect(shortcutOf(press("?"), "", false)).toBeUndefined();
    expect(shortcutOf(press("c"), "g", false)).toBeUndefined();
    const palette = press("k", { control: true, typing: true });
    expect(shortcutOf(palette, "", false)).toEqual({ kind: "palette" });
  });

  it("is not another key of the browser", () => {
    for (const key of ["n", "?", "c"]) {
      expect(
        shortcutOf(press(key, { control: true }), "", true),
      ).toBeUndefined();
      const alternate = press(key, { alternate: true });
      expect(shortcutOf(alternate, "", true)).toBeUndefined();
    }
  });

  it("goes to a page after g", () => {
    expect(shortcutOf(press("c"), "g", true)).toEqual({
      kind: "go",
      href: "#/cluster",
    });
    expect(shortcutOf(press("f"), "g", true)).toEqual({
      kind: "go",
      href: "#/files",
    });
    expect(shortcutOf(press("c"), "", true)).toBeUndefined();
    expect(shortcutOf(press("x"), "g", true)).toBeUndefined();
  });
});
