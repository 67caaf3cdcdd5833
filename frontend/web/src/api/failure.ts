// What a failed call means to the user: one sentence, and the request id under
// which an administrator finds the details in the log.
import { Code, ConnectError } from "@connectrpc/connect";
import { fromBinary } from "@bufbuild/protobuf";
import { TextCodeSchema } from "#proto/text_code";
import { serverMessage } from "../lib/language/catalogue";
import { textOf } from "./translate_texts";
import { messages } from "#messages/api";

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
  const { reason, metadata } = infoOf(cause);
  return {
    code: cause.code,
    sentence:
      translatedText(cause) ??
      serverMessage(reason, metadata) ??
      sentenceOf(cause),
    requestId,
    ...(reason && { reason }),
  };
}

// A response that does not come from the gateway has only an HTTP status.
function sentenceOf(error: ConnectError): string {
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status) return messages.serverReturnedStatus({ status });
  return (
    error.rawMessage || messages.serverReturned({ code: Code[error.code] })
  );
}

// Of an error with several reasons, such as violations of a policy, or with a
// value that is a text itself.
function translatedText(error: ConnectError): string | undefined {
  for (const detail of error.details) {
    if (!("type" in detail) || detail.type !== TextCodeSchema.typeName)
      continue;
    try {
      return textOf(fromBinary(TextCodeSchema, detail.value));
    } catch {
      return undefined; // of a newer server
    }
  }
  return undefined;
}

interface ErrorInfo {
  readonly reason: string; // empty: none
  readonly metadata: Readonly<Record<string, string>>;
}

// The gateway sends each detail as JSON, too.
function infoOf(error: ConnectError): ErrorInfo {
  for (const detail of error.details) {
    if (!("type" in detail) || detail.type !== "google.rpc.ErrorInfo") continue;
    const info = detail.debug;
    if (info === null || typeof info !== "object" || Array.isArray(info)) {
      continue;
    }
    const { reason, metadata } = info;
    if (typeof reason !== "string") continue;
    const isMap =
      metadata !== null &&
      typeof metadata === "object" &&
      !Array.isArray(metadata);
    const texts = Object.entries(isMap ? metadata : {}).map(([key, value]) => [
      key,
      String(value),
    ]);
    return { reason, metadata: Object.fromEntries(texts) };
  }
  return { reason: "", metadata: {} };
}

export function isSessionEnd(failure: Failure): boolean {
  return failure.code === Code.Unauthenticated;
}

// The same call may succeed a little later.
export function isPassing({ code }: Failure): boolean {
  return code === Code.ResourceExhausted || code === Code.Unavailable;
}

// The user may do this after confirming a second factor.
export function needsReauthentication({ reason }: Failure): boolean {
  return reason === "REAUTHENTICATION_REQUIRED";
}
