// The list of uploads as it is shown.
import type { ErrorCode } from "../api/errors";
import type { RawPath } from "../paths/raw_path";

export type UploadStatus =
  | "queued"
  | "sending"
  | "waiting" // for the connection
  | "asking" // about a taken name
  | "done"
  | "skipped"
  | "cancelled"
  | "failed";

export interface Upload {
  id: number;
  path: RawPath;
  size: number;
  sent: number;
  status: UploadStatus;
  error?: { code: ErrorCode; detail: string };
}

export interface UploadsState {
  uploads: readonly Upload[];
  bytesPerSecond: number;
}

export type UploadChange = Partial<Omit<Upload, "id">>;

export type UploadAction =
  | { type: "add"; uploads: readonly Upload[] }
  | { type: "change"; changes: ReadonlyMap<number, UploadChange> }
  | { type: "speed"; bytesPerSecond: number }
  | { type: "clear ended" };

export const kNoUploads: UploadsState = { uploads: [], bytesPerSecond: 0 };

export function hasEnded({ status }: Upload): boolean {
  return (
    status === "done" ||
    status === "skipped" ||
    status === "cancelled" ||
    status === "failed"
  );
}

export function uploadsReducer(
  state: UploadsState,
  action: UploadAction,
): UploadsState {
  switch (action.type) {
    case "add":
      return { ...state, uploads: [...state.uploads, ...action.uploads] };
    case "change":
      return {
        ...state,
        uploads: state.uploads.map((upload) => {
          const change = action.changes.get(upload.id);
          return change ? { ...upload, ...change } : upload;
        }),
      };
    case "speed":
      return { ...state, bytesPerSecond: action.bytesPerSecond };
    case "clear ended":
      return {
        ...state,
        uploads: state.uploads.filter((upload) => !hasEnded(upload)),
      };
  }
}

export interface UploadTotals {
  running: number;
  done: number;
  failed: number;
  sentBytes: number;
  totalBytes: number;
}

// Of those that are not skipped or cancelled.
export function uploadTotals(uploads: readonly Upload[]): UploadTotals {
  const totals = {
    running: 0,
    done: 0,
    failed: 0,
    sentBytes: 0,
    totalBytes: 0,
  };
  for (const upload of uploads) {
    if (upload.status === "skipped" || upload.status === "cancelled") continue;
    if (upload.status === "done") totals.done += 1;
    else if (upload.status === "failed") totals.failed += 1;
    else totals.running += 1;
    totals.sentBytes += upload.status === "done" ? upload.size : upload.sent;
    totals.totalBytes += upload.size;
  }
  return totals;
}
