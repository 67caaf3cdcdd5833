// What a failed call means to the person in front of it: one sentence, and the
// id under which an administrator finds the rest in the log.
import { Code, ConnectError } from "@connectrpc/connect";

export interface Failure {
  readonly code: Code;
  readonly sentence: string;
  readonly requestId: string;
}

const kUnreachable =
  "Carme could not be reached. Check your connection and try again.";
const kTooSlow = "Carme did not answer in time. Try again.";

export function failureOf(error: unknown): Failure {
  const cause = ConnectError.from(error, Code.Unavailable);
  const requestId = cause.metadata.get("x-request-id") ?? "";
  // fetch() throws a TypeError when there was no answer at all.
  if (cause.cause instanceof TypeError) {
    return { code: Code.Unavailable, sentence: kUnreachable, requestId };
  }
  if (cause.code === Code.DeadlineExceeded && requestId === "") {
    return { code: cause.code, sentence: kTooSlow, requestId };
  }
  return { code: cause.code, sentence: sentenceOf(cause), requestId };
}

// An answer that is not the gateway's own carries only an HTTP status.
function sentenceOf(error: ConnectError): string {
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status) return `Carme answered with HTTP status ${status}. Try again.`;
  return error.rawMessage || `Carme answered with ${Code[error.code]}.`;
}

export function isSessionEnd(failure: Failure): boolean {
  return failure.code === Code.Unauthenticated;
}

// The act itself is allowed, once a second factor has been shown anew.
export function needsReauthentication({ code, sentence }: Failure): boolean {
  return (
    code === Code.FailedPrecondition && sentence.startsWith("fresh factor:")
  );
}
