// What one can do with the selected rows; the toolbar, the menu of a row and
// the keys offer the same.
import type { FilesPage } from "../files_page";
import { selectedRows } from "../folder/folder_state";
import type { Row } from "../folder/rows";
import { text } from "../language/text";
import { parentOf } from "../paths/raw_path";
import type { Dialog } from "../ui_state";
import type { MenuItem } from "./menu";

export function openDialog(page: FilesPage, dialog: Dialog): void {
  page.ui.dispatch({ type: "set", change: { dialog } });
}

export function openRow(page: FilesPage, row: Row): void {
  if (row.kind === "folder") page.goTo(row.path);
  else if (row.kind === "file") page.openFile(row.path);
  else page.notify(text("cannot_open"), text("cannot_open_detail"));
}

export function renameRows(page: FilesPage, rows: readonly Row[]): void {
  const [row] = rows;
  if (row && rows.length === 1) openDialog(page, { type: "rename", row });
}

export function deleteRows(page: FilesPage, rows: readonly Row[]): void {
  if (rows.length > 0) openDialog(page, { type: "delete", rows });
}

export function pickFolder(
  page: FilesPage,
  kind: "copy" | "move",
  rows: readonly Row[],
): void {
  const paths = rows.map(({ path }) => path);
  if (paths.length > 0) openDialog(page, { type: "pick folder", kind, paths });
}

export function rowCommands(page: FilesPage): MenuItem[] {
  const rows = selectedRows(page.folder.state);
  const [first] = rows;
  if (!first) return [];
  const isSingle = rows.length === 1;
  const items: MenuItem[] = [];
  if (isSingle && first.kind !== "other") {
    items.push({
      label: text("open"),
      icon: first.kind === "folder" ? "folder" : "eye",
      keys: "Enter",
      act: () => openRow(page, first),
    });
  }
  if (isSingle && first.below !== undefined) {
    items.push({
      label: text("show_folder"),
      icon: "folder",
      act: () => {
        page.goTo(parentOf(first.path));
        page.folder.dispatch({ type: "await", path: first.path });
      },
    });
  }
  if (rows.some(({ kind }) => kind !== "other")) {
    items.push({
      label:
        isSingle && first.kind === "folder"
          ? text("download_tar")
          : text("download"),
      icon: "download",
      act: () => void page.files.download(rows),
    });
  }
  if (isSingle) {
    items.push({
      label: text("rename"),
      icon: "edit",
      keys: "F2",
      act: () => renameRows(page, rows),
    });
  }
  items.push(
    {
      label: text("copy_to"),
      icon: "copy",
      act: () => pickFolder(page, "copy", rows),
    },
    {
      label: text("move_to"),
      icon: "move",
      act: () => pickFolder(page, "move", rows),
    },
    {
      label: text("delete"),
      icon: "trash",
      keys: text("key_delete"),
      isDangerous: true,
      act: () => deleteRows(page, rows),
    },
  );
  return items;
}
