import { describe, expect, test } from "vitest";
import type { Row } from "../src/folder/rows";
import {
  type Column,
  nameCompare,
  nextOrder,
  sortRows,
} from "../src/folder/sort";

function row(name: string, change: Partial<Row> = {}): Row {
  return {
    path: `/${name}`,
    name,
    kind: "file",
    size: 0,
    modifiedMs: 0,
    mode: "",
    owner: "",
    ...change,
  };
}

function sorted(rows: Row[], column: Column, descending = false): string[] {
  const compare = nameCompare("en");
  return sortRows(rows, { column, descending }, compare).map(
    ({ name }) => name,
  );
}

describe("rows", () => {
  test("have folders first in both directions", () => {
    const rows = [row("b"), row("a"), row("z", { kind: "folder" })];
    expect(sorted(rows, "name")).toEqual(["z", "a", "b"]);
    expect(sorted(rows, "name", true)).toEqual(["z", "b", "a"]);
  });

  test("have numbers in names in the order of their values", () => {
    const rows = [row("part-10"), row("part-9"), row("Part-1")];
    expect(sorted(rows, "name")).toEqual(["Part-1", "part-9", "part-10"]);
  });

  test("are sorted by size, folders by name", () => {
    const rows = [
      row("big", { size: 9 }),
      row("small", { size: 1 }),
      row("y", { kind: "folder", size: 1 }),
      row("x", { kind: "folder", size: 4096 }),
    ];
    expect(sorted(rows, "size", true)).toEqual(["x", "y", "big", "small"]);
  });

  test("are sorted by time and mode, then by name", () => {
    const rows = [
      row("b", { modifiedMs: 5, mode: "rw-" }),
      row("a", { modifiedMs: 5, mode: "r--" }),
      row("c", { modifiedMs: 1, mode: "r--" }),
    ];
    expect(sorted(rows, "modified")).toEqual(["c", "a", "b"]);
    expect(sorted(rows, "mode")).toEqual(["a", "c", "b"]);
  });

  test("with the same text have a stable order", () => {
    const same = [
      row("\ufffd", { path: "/%FF" }),
      row("\ufffd", { path: "/%FE" }),
    ];
    const compare = nameCompare("en");
    const order = { column: "name", descending: false } as const;
    const paths = (rows: Row[]) =>
      sortRows(rows, order, compare).map(({ path }) => path);
    expect(paths(same)).toEqual(paths([...same].reverse()));
  });
});

describe("a column", () => {
  test("turns its order when it is selected again", () => {
    const order = { column: "name", descending: false } as const;
    expect(nextOrder(order, "name").descending).toBe(true);
  });

  test("of sizes starts with the largest", () => {
    const order = { column: "name", descending: false } as const;
    expect(nextOrder(order, "size")).toEqual({
      column: "size",
      descending: true,
    });
    expect(nextOrder(order, "mode").descending).toBe(false);
  });
});
