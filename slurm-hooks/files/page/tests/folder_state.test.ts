import { describe, expect, test } from "vitest";
import { ApiError } from "../src/api/errors";
import type { Entry, Listing } from "../src/api/types";
import {
  type FolderAction,
  folderReducer,
  type FolderState,
  initialFolder,
  selectedRows,
} from "../src/folder/folder_state";
import { selectAll } from "../src/folder/selection";
import { kDefaultOrder, nameCompare } from "../src/folder/sort";
import { scrollTopFor, visibleRows } from "../src/folder/windowing";
import { rawOfText } from "../src/paths/raw_path";
import { settingsOf } from "../src/settings";

const compare = nameCompare("en");

function entry(name: string, raw = rawOfText(name)): Entry {
  return {
    name,
    raw,
    kind: "file",
    size: 1,
    modified_ms: 1,
    mode: "",
    owner: "",
  };
}

function listing(...entries: Entry[]): Listing {
  return { path: "/a", writable: true, truncated: false, entries };
}

function after(...actions: FolderAction[]): FolderState {
  return actions.reduce(
    (state, action) => folderReducer(state, action, compare),
    initialFolder("/a", kDefaultOrder, false),
  );
}

const listed = (...entries: Entry[]): FolderAction => ({
  type: "listed",
  path: "/a",
  listing: listing(...entries),
});
const shown = (state: FolderState) => state.shown.map(({ name }) => name);

describe("a folder", () => {
  test("ignores the answer for another folder", () => {
    const late = {
      type: "listed",
      path: "/b",
      listing: listing(entry("x")),
    } as const;
    expect(after(late).content).toBe("loading");
    const error = new ApiError("forbidden");
    expect(after({ type: "failed", path: "/b", error }).content).toBe(
      "loading",
    );
  });

  test("keeps its rows while the server cannot be reached", () => {
    for (const code of ["connection", "unavailable"] as const) {
      const error = new ApiError(code);
      const failed = { type: "failed", path: "/a", error } as const;
      const state = after(listed(entry("x")), failed);
      expect(shown(state)).toEqual(["x"]);
      expect(state.content).toBe("loaded");
    }
  });

  test("that was deleted or closed has no rows", () => {
    const error = new ApiError("not_found");
    const failed = { type: "failed", path: "/a", error } as const;
    const state = after(listed(entry("x")), failed);
    expect(shown(state)).toEqual([]);
    expect(state.content).toBe(error);
  });

  test("addresses a name that is not UTF-8 by its bytes", () => {
    const state = after(listed(entry("caf\ufffd", "caf%e9")));
    expect(state.shown[0]?.path).toBe("/a/caf%E9");
  });

  test("hides names with a point until they are wanted", () => {
    const list = listed(entry(".x"), entry("y"));
    expect(shown(after(list))).toEqual(["y"]);
    expect(shown(after(list, { type: "hidden", show: true }))).toEqual([
      ".x",
      "y",
    ]);
  });

  test("filters by a part of the name in any case", () => {
    const list = listed(entry("Train.py"), entry("test.py"));
    expect(shown(after(list, { type: "filter", text: "RAI" }))).toEqual([
      "Train.py",
    ]);
  });

  test("does not keep a row selected that the filter hides", () => {
    const list = listed(entry("a"), entry("b"));
    const all = after(list);
    const paths = all.shown.map(({ path }) => path);
    const selection = selectAll(all.selection, paths);
    const state = after(
      list,
      { type: "select", selection },
      { type: "filter", text: "b" },
      { type: "filter", text: "" },
    );
    expect(selectedRows(state).map(({ name }) => name)).toEqual(["b"]);
  });

  test("selects a new entry when it is listed", () => {
    const state = after(
      listed(entry("a")),
      { type: "await", path: "/a/new" },
      listed(entry("a"), entry("new")),
    );
    expect(selectedRows(state).map(({ name }) => name)).toEqual(["new"]);
    expect(state.awaited).toBeUndefined();
  });
});

describe("a search", () => {
  const found = (name: string): FolderAction => ({
    type: "found",
    name,
    answer: {
      complete: false,
      entries: [
        {
          path: "/a/b/x.txt",
          raw: "/a/b/x.txt",
          kind: "file",
          size: 1,
          modified_ms: 1,
        },
      ],
    },
  });

  test("ignores the answer of an earlier one", () => {
    const state = after(
      listed(entry("y")),
      { type: "search", name: "x" },
      found("old"),
    );
    expect(state.search?.status).toBe("running");
  });

  test("shows what it found with the folder of each, until it ends", () => {
    const start = [listed(entry("y")), { type: "search", name: "x" } as const];
    const state = after(...start, found("x"));
    expect(state.shown[0]).toMatchObject({ name: "x.txt", below: "b" });
    expect(state.search?.status).toBe("incomplete");
    expect(shown(after(...start, found("x"), { type: "end search" }))).toEqual([
      "y",
    ]);
  });
});

describe("rows in view", () => {
  test("are few of many", () => {
    const { start, end } = visibleRows(400_000, 600, 40, 20_000);
    expect(start).toBeLessThanOrEqual(10_000);
    expect(end).toBeGreaterThanOrEqual(10_015);
    expect(end - start).toBeLessThan(60);
  });

  test("are within the list", () => {
    expect(visibleRows(0, 600, 40, 3)).toEqual({ start: 0, end: 3 });
    expect(visibleRows(9_999_999, 600, 40, 3)).toEqual({ start: 3, end: 3 });
  });

  test("scroll as little as is needed", () => {
    expect(scrollTopFor(0, 500, 400, 40)).toBe(0);
    expect(scrollTopFor(15, 500, 400, 40)).toBe(500);
    expect(scrollTopFor(30, 500, 400, 40)).toBe(840);
  });
});

describe("stored settings", () => {
  test("that are damaged are those of a new browser", () => {
    const initial = { order: kDefaultOrder, showHidden: false };
    expect(settingsOf(null)).toEqual(initial);
    expect(settingsOf("{")).toEqual(initial);
    expect(settingsOf('"x"')).toEqual(initial);
    expect(settingsOf('{"column":"x","showHidden":1}')).toEqual(initial);
  });

  test("are kept", () => {
    const stored = '{"column":"size","descending":true,"showHidden":true}';
    expect(settingsOf(stored)).toEqual({
      order: { column: "size", descending: true },
      showHidden: true,
    });
  });
});
