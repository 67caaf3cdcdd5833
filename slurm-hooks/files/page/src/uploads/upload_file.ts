// Uploads one file: asks about a taken name, sends large files in parts, and
// continues after a lost connection. The calls are arguments, for the tests.
import { ApiError, asApiError, isTransient } from "../api/errors";
import type { Received, SentPart } from "../api/send_bytes";
import { numberedName } from "../paths/names";
import { baseOf, joinRaw, parentOf, type RawPath } from "../paths/raw_path";
import type { Choice } from "./conflict";
import { kPartBytes, nextPart, uploadIdOf } from "./upload_plan";

const kMaxRetries = 10;
const kMaxDelayMs = 20_000;
const kMaxNumber = 1000;

export interface UploadCalls {
  send(part: SentPart): Promise<Received>;
  received(path: RawPath, id: string, signal: AbortSignal): Promise<number>;
  discard(path: RawPath, id: string): Promise<void>;
  wait(delayMs: number, signal: AbortSignal): Promise<void>;
}

export interface UploadEvents {
  onConflict(path: RawPath): Promise<Choice>;
  onPath(path: RawPath): void;
  onProgress(sentBytes: number): void;
  onWaiting(isWaiting: boolean): void;
}

export type UploadEnd = { path: RawPath } | "skipped";

export async function uploadFile(
  file: File,
  wanted: RawPath,
  calls: UploadCalls,
  events: UploadEvents,
  signal: AbortSignal,
  isTaken = false,
): Promise<UploadEnd> {
  let path = wanted;
  let onlyIfMissing = true;
  let number = 1;
  let taken = isTaken;
  for (;;) {
    if (!taken) {
      try {
        await sendFile(file, path, onlyIfMissing, calls, events, signal);
        return { path };
      } catch (error) {
        const failure = asApiError(error);
        if (failure.code !== "exists" || number > kMaxNumber) throw failure;
      }
    }
    // Once "keep both" is chosen, the next number is tried without a question.
    const choice = number > 1 ? "keep both" : await events.onConflict(path);
    if (signal.aborted) throw new ApiError("cancelled");
    taken = false;
    if (choice === "skip") return "skipped";
    if (choice === "replace") {
      onlyIfMissing = false;
    } else {
      number += 1;
      path = joinRaw(parentOf(wanted), numberedName(baseOf(wanted), number));
      events.onPath(path);
    }
  }
}

async function sendFile(
  file: File,
  path: RawPath,
  onlyIfMissing: boolean,
  calls: UploadCalls,
  events: UploadEvents,
  signal: AbortSignal,
): Promise<void> {
  const inParts = file.size > kPartBytes;
  // A file without parts has no id.
  const id = inParts ? await uploadIdOf(file) : "";
  let received = 0;
  let retries = 0;
  let isKnown = !inParts;
  for (;;) {
    try {
      if (!isKnown) {
        received = await calls.received(path, id, signal);
        // All bytes but no file: the last part is sent again.
        if (received >= file.size) received = 0;
        isKnown = true;
      }
      events.onWaiting(false);
      events.onProgress(received);
      const start = received;
      const part = inParts ? nextPart(start, file.size) : undefined;
      const answer = await calls.send({
        path,
        body: part ? file.slice(part.start, part.end) : file,
        ...(part && { part: { upload: id, start, total: file.size } }),
        onlyIfMissing,
        signal,
        onProgress: (sent) => events.onProgress(start + sent),
      });
      retries = 0;
      if (answer.isComplete || !inParts) return;
      received = answer.received;
    } catch (error) {
      const failure = asApiError(error);
      if (failure.code === "cancelled" && inParts) {
        void calls.discard(path, id).catch(() => undefined);
      }
      if (failure.code === "connection") await checkReadable(file);
      if (failure.code !== "offset" && !isTransient(failure.code)) {
        throw failure;
      }
      retries += 1;
      if (retries > kMaxRetries) throw failure;
      if (failure.code === "offset" && failure.received !== undefined) {
        received = failure.received;
        continue;
      }
      isKnown = !inParts;
      events.onWaiting(true);
      await calls.wait(retryDelayMs(retries), signal);
    }
  }
}

// 1 s, 2 s, 4 s… up to kMaxDelayMs.
export function retryDelayMs(retries: number): number {
  return Math.min(kMaxDelayMs, 1000 * 2 ** (retries - 1));
}

// A file that was deleted or changed on the person's disk looks like a lost
// connection to XMLHttpRequest.
async function checkReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new ApiError("unreadable");
  }
}
