// What the server answers; its README describes the fields.
import type { RawPath } from "../paths/raw_path";

export type Kind = "file" | "folder" | "other";

export interface Entry {
  name: string;
  raw: RawPath;
  kind: Kind;
  link?: string;
  size: number;
  modified_ms: number;
  mode: string;
  owner: string;
}

export interface Listing {
  path: string;
  writable: boolean;
  truncated: boolean;
  entries: Entry[];
}

export interface Place {
  name: string;
  path: string;
  raw?: RawPath;
  free_bytes: number;
  size_bytes: number;
}

export interface Places {
  user: string;
  host: string;
  home: string;
  places: Place[];
}

export interface Found {
  path: string;
  raw: RawPath;
  kind: Kind;
  size: number;
  modified_ms: number;
}

export interface SearchAnswer {
  entries: Found[];
  complete: boolean;
}

export type TaskKind = "copy" | "delete" | "move";
export type TaskState = "running" | "done" | "failed" | "cancelled";

export interface Task {
  id: string;
  kind: TaskKind;
  path: string;
  to?: string;
  state: TaskState;
  files: number;
  bytes: number;
  code?: string;
  error?: string;
}

export interface Written {
  etag: string;
  size: number;
}
