// The rows of the table: entries of a folder, or what a search found.
import type { Entry, Found, Kind } from "../api/types";
import {
  baseOf,
  joinRaw,
  normalizeRaw,
  parentOf,
  type RawPath,
  textOfRaw,
} from "../paths/raw_path";

export interface Row {
  path: RawPath; // unique
  name: string;
  kind: Kind;
  link?: string;
  size: number;
  modifiedMs: number;
  mode: string;
  owner: string;
  // Only of a row that a search found: its folder, below the searched one.
  below?: string;
}

export function rowOfEntry(folder: RawPath, entry: Entry): Row {
  const row: Row = {
    path: normalizeRaw(joinRaw(folder, entry.raw)),
    name: entry.name,
    kind: entry.kind,
    size: entry.size,
    modifiedMs: entry.modified_ms,
    mode: entry.mode,
    owner: entry.owner,
  };
  return entry.link === undefined ? row : { ...row, link: entry.link };
}

export function rowOfFound(folder: RawPath, found: Found): Row {
  const path = normalizeRaw(found.raw);
  const above = parentOf(path);
  const start = folder === "/" ? 1 : folder.length + 1;
  return {
    path,
    name: textOfRaw(baseOf(path)),
    kind: found.kind,
    size: found.size,
    modifiedMs: found.modified_ms,
    mode: "",
    owner: "",
    below: textOfRaw(above.slice(start)),
  };
}

export function isHidden(row: Row): boolean {
  return row.name.startsWith(".");
}
