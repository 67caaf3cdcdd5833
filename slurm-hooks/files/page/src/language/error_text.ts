// The text of an error: what happened and what to do, and the system's words.
import type { ApiError, ErrorCode } from "../api/errors";
import { text } from "./text";

export function codeText(code: ErrorCode): string {
  return text(`error_${code}`);
}

export function errorText({ code, detail }: ApiError): string {
  const isKnown = code !== "failed" && code !== "bad_request";
  return isKnown || !detail ? codeText(code) : `${codeText(code)} ${detail}`;
}
