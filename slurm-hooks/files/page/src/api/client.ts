// The calls of the server. Addresses are relative, because the page may be
// served below a prefix.
import { type RawPath } from "../paths/raw_path";
import { ApiError, asApiError, errorOfAnswer } from "./errors";
import type { Listing, Places, SearchAnswer, Task, Written } from "./types";

type Query = Readonly<Record<string, string>>;

// Values are percent-encoded already.
export function address(call: string, query: Query = {}): string {
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? `api/${call}?${pairs.join("&")}` : `api/${call}`;
}

async function call(
  method: string,
  url: string,
  options: {
    signal?: AbortSignal;
    body?: BodyInit;
    headers?: HeadersInit;
  } = {},
): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      cache: "no-store",
      // To the portal's log-in, which is not an answer of this server.
      redirect: "manual",
      ...options,
    });
  } catch (error) {
    throw asApiError(error);
  }
  if (answer.ok) return answer;
  throw errorOfAnswer(answer.status, await answer.text().catch(() => ""));
}

async function callJson<Answer>(
  method: string,
  url: string,
  options: Parameters<typeof call>[2] = {},
): Promise<Answer> {
  const answer = await call(method, url, options);
  const text = await answer.text().catch((error: unknown) => {
    throw asApiError(error);
  });
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new ApiError("unavailable", `HTTP ${answer.status}`);
  }
}

export function fileAddress(path: RawPath): string {
  return address("file", { path });
}

export function viewAddress(path: RawPath): string {
  return address("view", { path });
}

export function archiveAddress(path: RawPath): string {
  return address("archive", { path });
}

export function getPlaces(): Promise<Places> {
  return callJson("GET", address("places"));
}

export function listFolder(
  path: RawPath,
  signal?: AbortSignal,
): Promise<Listing> {
  return callJson("GET", address("list", { path }), signal ? { signal } : {});
}

export function searchBelow(
  path: RawPath,
  name: string,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const query = { path, name: encodeURIComponent(name) };
  return callJson("GET", address("search", query), { signal });
}

export interface Content {
  bytes: ArrayBuffer;
  etag: string;
  isWhole: boolean;
}

// At most max_bytes of the file's start.
export async function readContent(
  path: RawPath,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Content> {
  const headers = { Range: `bytes=0-${maxBytes - 1}` };
  const options = signal ? { headers, signal } : { headers };
  let answer: Response;
  try {
    answer = await call("GET", fileAddress(path), options);
  } catch (error) {
    // The range of an empty file is not satisfiable.
    if (!(error instanceof ApiError) || error.code === "forbidden") throw error;
    answer = await call("GET", fileAddress(path), signal ? { signal } : {});
  }
  const bytes = await answer.arrayBuffer().catch((error: unknown) => {
    throw asApiError(error);
  });
  const total = /\/(\d+)$/.exec(answer.headers.get("Content-Range") ?? "");
  return {
    bytes,
    etag: answer.headers.get("ETag") ?? "",
    isWhole: !total || Number(total[1]) <= bytes.byteLength,
  };
}

export function writeContent(
  path: RawPath,
  content: string,
  condition: { ifMatch: string } | { ifNoneMatch: "*" } | undefined,
): Promise<Written> {
  const headers: Record<string, string> = {};
  if (condition && "ifMatch" in condition) {
    headers["If-Match"] = condition.ifMatch;
  } else if (condition) {
    headers["If-None-Match"] = condition.ifNoneMatch;
  }
  const body = new Blob([content]);
  return callJson("PUT", fileAddress(path), { headers, body });
}

export async function createFolder(path: RawPath): Promise<void> {
  await call("POST", address("folder", { path }));
}

export async function renameEntry(path: RawPath, to: RawPath): Promise<void> {
  await call("POST", address("rename", { path, to }));
}

async function startTask(kind: string, query: Query): Promise<string> {
  const url = address(kind, query);
  return (await callJson<{ task: string }>("POST", url)).task;
}

export function copyEntry(path: RawPath, to: RawPath): Promise<string> {
  return startTask("copy", { path, to });
}

export function moveEntry(path: RawPath, to: RawPath): Promise<string> {
  return startTask("move", { path, to });
}

export function deleteEntry(path: RawPath): Promise<string> {
  return startTask("delete", { path });
}

export async function getTasks(): Promise<Task[]> {
  return (await callJson<{ tasks: Task[] }>("GET", address("tasks"))).tasks;
}

export async function cancelTask(id: string): Promise<void> {
  await call("POST", address("tasks/cancel", { id: encodeURIComponent(id) }));
}

export async function receivedBytes(
  path: RawPath,
  upload: string,
  signal: AbortSignal,
): Promise<number> {
  const url = address("upload", { path, upload });
  return (await callJson<{ received: number }>("GET", url, { signal }))
    .received;
}

export async function discardUpload(
  path: RawPath,
  upload: string,
): Promise<void> {
  await call("DELETE", address("upload", { path, upload }));
}

// Whether the app answers at all.
export async function isReady(): Promise<boolean> {
  try {
    return (await fetch("ready", { cache: "no-store", redirect: "manual" })).ok;
  } catch {
    return false;
  }
}
