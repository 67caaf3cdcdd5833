// Errors of calls. A code decides what the page does and shows; the server's
// English text is only a detail.
export const kServerCodes = [
  "bad_request",
  "forbidden",
  "not_found",
  "exists",
  "changed",
  "offset",
  "too_large",
  "no_space",
  "busy",
  "other_file_system",
  "not_empty",
  "is_folder",
  "not_folder",
  "failed",
] as const;

export type ServerCode = (typeof kServerCodes)[number];

// connection: no answer. unavailable: an answer of the proxy, not of the app:
// the job ended or the session expired. unreadable: the browser cannot read
// the file that it sends. cancelled: the person cancelled the call.
export type ErrorCode =
  ServerCode | "connection" | "unavailable" | "unreadable" | "cancelled";

export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail = "",
    readonly received?: number,
  ) {
    super(detail || code);
  }
}

const kProxyStatuses = new Set([401, 403, 404, 421, 429, 502, 503, 504]);

function isServerCode(code: unknown): code is ServerCode {
  return kServerCodes.some((known) => known === code);
}

export function errorOfAnswer(status: number, body: string): ApiError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== "object" || parsed === null || !("code" in parsed)) {
    return new ApiError("unavailable", `HTTP ${status}`);
  }
  const { code, error, received } = parsed as Record<string, unknown>;
  // The proxy and the agent have codes of their own.
  const other = kProxyStatuses.has(status) ? "unavailable" : "failed";
  return new ApiError(
    isServerCode(code) ? code : other,
    typeof error === "string" ? error : "",
    typeof received === "number" ? received : undefined,
  );
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DOMException && error.name === "AbortError") {
    return new ApiError("cancelled");
  }
  return new ApiError(
    "connection",
    error instanceof Error ? error.message : "",
  );
}

// Whether the same call may succeed a moment later.
export function isTransient(code: ErrorCode): boolean {
  return code === "connection" || code === "busy" || code === "unavailable";
}

export function errorOfTask(code?: string, detail = ""): ApiError {
  return new ApiError(isServerCode(code) ? code : "failed", detail);
}
