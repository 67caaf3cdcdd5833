// Which rows are selected, and at which row the keyboard is. Rows are named by
// their paths, so that a new list keeps the selection.
import type { RawPath } from "../paths/raw_path";

export interface Selection {
  selected: ReadonlySet<RawPath>;
  cursor: RawPath | undefined;
  // The other end of a range that Shift extends.
  anchor: RawPath | undefined;
}

export const kNothingSelected: Selection = {
  selected: new Set(),
  cursor: undefined,
  anchor: undefined,
};

type Paths = readonly RawPath[];

export function selectOnly(path: RawPath): Selection {
  return { selected: new Set([path]), cursor: path, anchor: path };
}

export function moveCursor(selection: Selection, path: RawPath): Selection {
  return { ...selection, cursor: path };
}

export function toggle(selection: Selection, path: RawPath): Selection {
  const selected = new Set(selection.selected);
  if (!selected.delete(path)) selected.add(path);
  return { selected, cursor: path, anchor: path };
}

// From the anchor to the path, in the order that is shown.
export function extendTo(
  selection: Selection,
  path: RawPath,
  shown: Paths,
): Selection {
  const anchor = selection.anchor ?? selection.cursor ?? path;
  const from = shown.indexOf(anchor);
  const to = shown.indexOf(path);
  if (from < 0 || to < 0) return selectOnly(path);
  const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: new Set(range), cursor: path, anchor };
}

export function selectAll(selection: Selection, shown: Paths): Selection {
  return { ...selection, selected: new Set(shown) };
}

export function selectNone(selection: Selection): Selection {
  return { ...selection, selected: new Set() };
}

// After a new list or filter: what is not shown must not be deleted either.
export function keepShown(selection: Selection, shown: Paths): Selection {
  const present = new Set(shown);
  const selected = [...selection.selected].filter((path) => present.has(path));
  const kept = (path: RawPath | undefined) =>
    path !== undefined && present.has(path) ? path : undefined;
  return {
    selected: new Set(selected),
    cursor: kept(selection.cursor),
    anchor: kept(selection.anchor),
  };
}

// The row that a key moves to, from the cursor's row.
export function rowAtKey(
  key: string,
  cursorAt: number,
  count: number,
  pageRows: number,
): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const within = (at: number) => Math.max(0, Math.min(last, at));
  switch (key) {
    case "ArrowDown":
      return within(cursorAt + 1);
    case "ArrowUp":
      return cursorAt < 0 ? last : within(cursorAt - 1);
    case "PageDown":
      return within(cursorAt + pageRows);
    case "PageUp":
      return within(cursorAt - pageRows);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
