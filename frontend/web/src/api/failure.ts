// What a failed call means to the user: one sentence, and the request id under
// which an administrator finds the details in the log.
import { Code, ConnectError } from "@connectrpc/connect";
import { messages } from "./messages";

export interface Failure {
  readonly code: Code;
  readonly sentence: string;
  readonly requestId: string;
  readonly reason?: string; // of google.rpc.ErrorInfo
}

export function failureOf(error: unknown): Failure {
  const cause = ConnectError.from(error, Code.Unavailable);
  const requestId = cause.metadata.get("x-request-id") ?? "";
  // fetch() throws a TypeError when it receives no response.
  if (cause.cause instanceof TypeError) {
    return {
      code: Code.Unavailable,
      sentence: messages.cannotReachCarme,
      requestId,
    };
  }
  if (cause.code === Code.DeadlineExceeded && requestId === "") {
    return { code: cause.code, sentence: messages.requestTimedOut, requestId };
  }
  const reason = reasonOf(cause);
  return {
    code: cause.code,
    sentence: sentenceOf(cause),
    requestId,
    ...(reason && { reason }),
  };
}

// A response that does not come from the gateway has only an HTTP status.
function sentenceOf(error: ConnectError): string {
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status) return messages.serverReturnedStatus(status);
  return error.rawMessage || messages.serverReturned(Code[error.code]);
}

// The gateway sends each detail as JSON, too.
function reasonOf(error: ConnectError): string {
  for (const detail of error.details) {
    if (!("type" in detail) || detail.type !== "google.rpc.ErrorInfo") continue;
    const info = detail.debug;
    if (info === null || typeof info !== "object" || Array.isArray(info)) {
      continue;
    }
    if (typeof info["reason"] === "string") return info["reason"];
  }
  return "";
}

export function isSessionEnd(failure: Failure): boolean {
  return failure.code === Code.Unauthenticated;
}

// The user may do this after confirming a second factor.
export function needsReauthentication({ reason }: Failure): boolean {
  return reason === "REAUTHENTICATION_REQUIRED";
}
