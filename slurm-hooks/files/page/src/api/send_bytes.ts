// Sends a file or a part of it. XMLHttpRequest, because fetch does not report
// the progress of what it sends.
import { type RawPath } from "../paths/raw_path";
import { address } from "./client";
import { ApiError, errorOfAnswer } from "./errors";

export interface SentPart {
  path: RawPath;
  body: Blob;
  // Without it, the body is the whole file.
  part?: { upload: string; start: number; total: number };
  onlyIfMissing: boolean;
  signal: AbortSignal;
  onProgress(sentBytes: number): void;
}

export interface Received {
  isComplete: boolean;
  received: number;
}

export function contentRange(
  start: number,
  length: number,
  total: number,
): string {
  return `bytes ${start}-${start + length - 1}/${total}`;
}

export function sendBytes(sent: SentPart): Promise<Received> {
  const { path, body, part, signal } = sent;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = part ? { path, upload: part.upload } : { path };
    const abort = () => request.abort();
    const fail = (error: ApiError) => {
      signal.removeEventListener("abort", abort);
      reject(error);
    };
    if (signal.aborted) return fail(new ApiError("cancelled"));
    request.open("PUT", address("file", query));
    if (part) {
      const range = contentRange(part.start, body.size, part.total);
      request.setRequestHeader("Content-Range", range);
    }
    if (sent.onlyIfMissing) request.setRequestHeader("If-None-Match", "*");
    request.upload.onprogress = ({ loaded }) => sent.onProgress(loaded);
    request.onload = () => {
      const { status, responseText } = request;
      if (status < 200 || status > 299) {
        return fail(errorOfAnswer(status, responseText));
      }
      signal.removeEventListener("abort", abort);
      const end = (part?.start ?? 0) + body.size;
      resolve({
        isComplete: status !== 202,
        received: status === 202 ? receivedOf(responseText, end) : end,
      });
    };
    request.onerror = () => fail(new ApiError("connection"));
    request.onabort = () => fail(new ApiError("cancelled"));
    signal.addEventListener("abort", abort);
    request.send(body);
  });
}

function receivedOf(text: string, otherwise: number): number {
  try {
    const { received } = JSON.parse(text) as { received?: unknown };
    return typeof received === "number" ? received : otherwise;
  } catch {
    return otherwise;
  }
}
