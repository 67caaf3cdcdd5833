// What the main part shows: a folder or the result of a search in it.
import { type ApiError, isTransient } from "../api/errors";
import type { Listing, SearchAnswer } from "../api/types";
import type { RawPath } from "../paths/raw_path";
import { isHidden, type Row, rowOfEntry, rowOfFound } from "./rows";
import {
  keepShown,
  kNothingSelected,
  selectOnly,
  type Selection,
} from "./selection";
import {
  type Column,
  type Compare,
  nextOrder,
  type Order,
  sortRows,
} from "./sort";

export type Content = "loading" | "loaded" | ApiError;

export interface FolderState {
  path: RawPath;
  content: Content;
  // Of the folder, also while the result of a search is shown.
  rows: readonly Row[];
  writable: boolean;
  truncated: boolean;
  search?: { name: string; rows: readonly Row[]; status: SearchStatus };
  filter: string;
  order: Order;
  showHidden: boolean;
  selection: Selection;
  // A row to select when it is in a list: an upload, a new folder.
  awaited: RawPath | undefined;
  // What is shown, filtered and sorted.
  shown: readonly Row[];
}

export type SearchStatus = "running" | "complete" | "incomplete" | ApiError;

export type FolderAction =
  | { type: "open"; path: RawPath; select?: RawPath }
  | { type: "listed"; path: RawPath; listing: Listing }
  | { type: "failed"; path: RawPath; error: ApiError }
  | { type: "filter"; text: string }
  | { type: "order"; column: Column }
  | { type: "hidden"; show: boolean }
  | { type: "select"; selection: Selection }
  | { type: "await"; path: RawPath }
  | { type: "search"; name: string }
  | { type: "found"; name: string; answer: SearchAnswer | ApiError }
  | { type: "end search" };

export function initialFolder(
  path: RawPath,
  order: Order,
  showHidden: boolean,
): FolderState {
  return {
    path,
    content: "loading",
    rows: [],
    writable: false,
    truncated: false,
    filter: "",
    order,
    showHidden,
    selection: kNothingSelected,
    awaited: undefined,
    shown: [],
  };
}

function matches(row: Row, filter: string): boolean {
  return row.name.toLowerCase().includes(filter);
}

function withShown(state: FolderState, compare: Compare): FolderState {
  const filter = state.filter.toLowerCase();
  const all = state.search?.rows ?? state.rows;
  const visible = all.filter(
    (row) =>
      (state.showHidden || state.search !== undefined || !isHidden(row)) &&
      (filter === "" || state.search !== undefined || matches(row, filter)),
  );
  const shown = sortRows(visible, state.order, compare);
  const paths = shown.map(({ path }) => path);
  const { awaited } = state;
  const isThere = awaited !== undefined && paths.includes(awaited);
  return {
    ...state,
    shown,
    awaited: isThere ? undefined : awaited,
    selection: isThere
      ? selectOnly(awaited)
      : keepShown(state.selection, paths),
  };
}

export function folderReducer(
  state: FolderState,
  action: FolderAction,
  compare: Compare,
): FolderState {
  switch (action.type) {
    case "open": {
      const next = initialFolder(action.path, state.order, state.showHidden);
      return { ...next, awaited: action.select };
    }
    case "listed": {
      if (action.path !== state.path) return state;
      const { entries, writable, truncated } = action.listing;
      const rows = entries.map((entry) => rowOfEntry(state.path, entry));
      const next: FolderState = {
        ...state,
        content: "loaded",
        rows,
        writable,
        truncated,
      };
      return withShown(next, compare);
    }
    case "failed": {
      if (action.path !== state.path) return state;
      // A list that is shown stays while the server cannot be reached.
      if (state.content === "loaded" && isTransient(action.error.code)) {
        return state;
      }
      const next = { ...state, content: action.error, rows: [] };
      return withShown(next, compare);
    }
    case "filter":
      return withShown({ ...state, filter: action.text }, compare);
    case "order": {
      const order = nextOrder(state.order, action.column);
      return withShown({ ...state, order }, compare);
    }
    case "hidden":
      return withShown({ ...state, showHidden: action.show }, compare);
    case "select":
      return { ...state, selection: action.selection };
    case "await": {
      const next = { ...state, awaited: action.path };
      return state.content === "loaded" ? withShown(next, compare) : next;
    }
    case "search": {
      const search = {
        name: action.name,
        rows: [],
        status: "running" as const,
      };
      return withShown({ ...state, search }, compare);
    }
    case "found": {
      if (state.search?.name !== action.name) return state;
      const { answer, name } = action;
      if (answer instanceof Error) {
        return { ...state, search: { ...state.search, status: answer } };
      }
      const rows = answer.entries.map((found) => rowOfFound(state.path, found));
      const status = answer.complete ? "complete" : "incomplete";
      return withShown({ ...state, search: { name, rows, status } }, compare);
    }
    case "end search": {
      const { search: _, ...rest } = state;
      return withShown(rest, compare);
    }
  }
}

export function selectedRows(state: FolderState): Row[] {
  const { selected } = state.selection;
  return state.shown.filter(({ path }) => selected.has(path));
}
