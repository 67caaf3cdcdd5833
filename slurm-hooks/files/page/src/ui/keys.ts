// The keys of the page outside of text fields and dialogs.
import type { FilesPage } from "../files_page";
import { selectedRows } from "../folder/folder_state";
import {
  extendTo,
  moveCursor,
  rowAtKey,
  selectAll,
  selectNone,
  selectOnly,
  toggle,
} from "../folder/selection";
import { parentOf } from "../paths/raw_path";
import { filesOfInput } from "../uploads/dropped";
import { deleteRows, openDialog, openRow, renameRows } from "./commands";

const kPageRows = 12;
const kTypedMs = 900;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      "input:not([type=checkbox]), textarea, select, [contenteditable]",
    ) !== null
  );
}

// Keys with a meaning of their own on a button or a link.
function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("button, a, summary") !== null
  );
}

export function listenToKeys(page: FilesPage): () => void {
  const typed = { text: "", atMs: 0 };
  const onKeyDown = (event: KeyboardEvent) => {
    const { ui } = page;
    const { dialog, questions, viewing } = ui.state;
    if (event.defaultPrevented || dialog || questions.length > 0) return;
    if (viewing !== undefined || isTyping(event.target)) return;
    const isUsed =
      event.ctrlKey || event.metaKey
        ? onControlKey(page, event)
        : onPlainKey(page, event) ||
          (!event.altKey && onLetter(page, event, typed));
    if (isUsed) event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isTyping(event.target) || page.ui.state.viewing !== undefined) return;
    const files = event.clipboardData?.files;
    if (files && files.length > 0) void page.files.upload(filesOfInput(files));
    else void page.files.paste();
  };
  document.addEventListener("keydown", onKeyDown);
  document.addEventListener("paste", onPaste);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    document.removeEventListener("paste", onPaste);
  };
}

function onControlKey(page: FilesPage, event: KeyboardEvent): boolean {
  const { folder } = page;
  const { selection, shown } = folder.state;
  switch (event.key.toLowerCase()) {
    case "a": {
      const paths = shown.map(({ path }) => path);
      folder.dispatch({
        type: "select",
        selection: selectAll(selection, paths),
      });
      return true;
    }
    case "c":
    case "x":
      if (String(getSelection()) !== "") return false;
      page.files.take(
        event.key.toLowerCase() === "c" ? "copy" : "move",
        selectedRows(folder.state),
      );
      return true;
    case "arrowdown":
    case "arrowup":
    case "home":
    case "end":
      return onMove(page, event);
    case " ":
      if (selection.cursor === undefined) return false;
      folder.dispatch({
        type: "select",
        selection: toggle(selection, selection.cursor),
      });
      return true;
    default:
      return false;
  }
}

function onPlainKey(page: FilesPage, event: KeyboardEvent): boolean {
  const { folder } = page;
  const { selection, shown, path } = folder.state;
  const { cursor } = selection;
  switch (event.key) {
    case "Enter": {
      const row = shown.find((one) => one.path === cursor);
      if (isControl(event.target) || !row) return false;
      openRow(page, row);
      return true;
    }
    case " ":
      if (isControl(event.target) || cursor === undefined) return false;
      folder.dispatch({ type: "select", selection: toggle(selection, cursor) });
      return true;
    case "Backspace":
      if (folder.state.search) page.endSearch();
      else if (path !== "/") page.goTo(parentOf(path));
      return true;
    case "ArrowLeft":
      if (!event.altKey) return false;
      history.back();
      return true;
    case "Delete":
      deleteRows(page, selectedRows(folder.state));
      return true;
    case "F2":
      renameRows(page, selectedRows(folder.state));
      return true;
    case "Escape":
      folder.dispatch({ type: "select", selection: selectNone(selection) });
      return true;
    case "/":
      document.getElementById("filter")?.focus();
      return true;
    case "?":
      openDialog(page, { type: "keys" });
      return true;
    default:
      return onMove(page, event);
  }
}

function onMove(page: FilesPage, event: KeyboardEvent): boolean {
  const { folder } = page;
  const { selection, shown } = folder.state;
  const paths = shown.map(({ path }) => path);
  const at =
    selection.cursor === undefined ? -1 : paths.indexOf(selection.cursor);
  const next = rowAtKey(event.key, at, paths.length, kPageRows);
  const path = next === undefined ? undefined : paths[next];
  if (path === undefined || event.altKey) return false;
  let moved = selectOnly(path);
  if (event.shiftKey) moved = extendTo(selection, path, paths);
  else if (event.ctrlKey || event.metaKey) moved = moveCursor(selection, path);
  folder.dispatch({ type: "select", selection: moved });
  document.getElementById("table")?.focus({ preventScroll: true });
  return true;
}

// Letters that follow each other soon go to the next name that starts so.
function onLetter(
  page: FilesPage,
  event: KeyboardEvent,
  typed: { text: string; atMs: number },
): boolean {
  if (event.key.length !== 1 || event.key === " ") return false;
  const isNew = event.timeStamp - typed.atMs > kTypedMs;
  typed.text = (isNew ? "" : typed.text) + event.key.toLowerCase();
  typed.atMs = event.timeStamp;
  const { shown, selection } = page.folder.state;
  const at = shown.findIndex(({ path }) => path === selection.cursor);
  // A new letter looks below the cursor, more letters also at it.
  const start = isNew ? at + 1 : Math.max(0, at);
  const ordered = [...shown.slice(start), ...shown.slice(0, start)];
  const row = ordered.find(({ name }) =>
    name.toLowerCase().startsWith(typed.text),
  );
  if (row) {
    page.folder.dispatch({ type: "select", selection: selectOnly(row.path) });
  }
  return true;
}
