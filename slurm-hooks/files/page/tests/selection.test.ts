import { describe, expect, test } from "vitest";
import {
  extendTo,
  keepShown,
  kNothingSelected,
  moveCursor,
  rowAtKey,
  selectAll,
  selectNone,
  selectOnly,
  toggle,
} from "../src/folder/selection";

const kPaths = ["/a", "/b", "/c", "/d"];
const names = (selection: { selected: ReadonlySet<string> }) => [
  ...selection.selected,
];

describe("a selection", () => {
  test("loses what is not shown any more", () => {
    const all = selectAll(selectOnly("/b"), kPaths);
    const kept = keepShown(all, ["/a", "/c"]);
    expect(names(kept)).toEqual(["/a", "/c"]);
    expect(kept.cursor).toBeUndefined();
    expect(kept.anchor).toBeUndefined();
  });

  test("is extended from its anchor in both directions", () => {
    const start = selectOnly("/b");
    const down = extendTo(start, "/d", kPaths);
    expect(names(down)).toEqual(["/b", "/c", "/d"]);
    expect(names(extendTo(down, "/a", kPaths))).toEqual(["/a", "/b"]);
  });

  test("without an anchor starts at the row", () => {
    expect(names(extendTo(kNothingSelected, "/c", kPaths))).toEqual(["/c"]);
    const gone = selectOnly("/gone");
    expect(names(extendTo(gone, "/c", kPaths))).toEqual(["/c"]);
  });

  test("toggles single rows and keeps the others", () => {
    const two = toggle(selectOnly("/a"), "/c");
    expect(names(two)).toEqual(["/a", "/c"]);
    expect(names(toggle(two, "/a"))).toEqual(["/c"]);
  });

  test("stays when only the cursor moves", () => {
    const moved = moveCursor(selectOnly("/a"), "/c");
    expect(names(moved)).toEqual(["/a"]);
    expect(moved.cursor).toBe("/c");
    expect(names(selectNone(moved))).toEqual([]);
  });
});

describe("a key", () => {
  test("moves within the rows only", () => {
    expect(rowAtKey("ArrowDown", 3, 4, 10)).toBe(3);
    expect(rowAtKey("ArrowUp", 0, 4, 10)).toBe(0);
    expect(rowAtKey("PageDown", 0, 4, 10)).toBe(3);
    expect(rowAtKey("ArrowDown", -1, 0, 10)).toBeUndefined();
    expect(rowAtKey("x", 0, 4, 10)).toBeUndefined();
  });

  test("starts at the first or the last row", () => {
    expect(rowAtKey("ArrowDown", -1, 4, 10)).toBe(0);
    expect(rowAtKey("ArrowUp", -1, 4, 10)).toBe(3);
    expect(rowAtKey("End", 0, 4, 10)).toBe(3);
    expect(rowAtKey("Home", 3, 4, 10)).toBe(0);
  });
});
