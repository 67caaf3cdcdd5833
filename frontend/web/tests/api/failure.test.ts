import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  failureOf,
  isSessionEnd,
  needsReauthentication,
} from "../../src/api/failure";

const kWithId = { "x-request-id": "r-1" };

describe("a failed call", () => {
  it("gives the server's sentence word for word, with the request id", () => {
    const error = new ConnectError("try again", Code.Unavailable, kWithId);
    expect(failureOf(error)).toEqual({
      code: Code.Unavailable,
      sentence: "try again",
      requestId: "r-1",
    });
  });

  it("says that nothing answered when fetch itself failed", () => {
    const error = ConnectError.from(new TypeError("Failed to fetch"));
    expect(failureOf(error)).toMatchObject({
      code: Code.Unavailable,
      sentence:
        "Carme could not be reached. Check your connection and try again.",
    });
  });

  it("tells our own timeout from a deadline of the server", () => {
    const ours = new ConnectError("timed out", Code.DeadlineExceeded);
    expect(failureOf(ours).sentence).toBe(
      "Carme did not answer in time. Try again.",
    );
    const its = new ConnectError("slow", Code.DeadlineExceeded, kWithId);
    expect(failureOf(its).sentence).toBe("slow");
  });

  it("explains a bare HTTP status", () => {
    const error = new ConnectError("HTTP 502", Code.Unavailable);
    expect(failureOf(error).sentence).toBe(
      "Carme answered with HTTP status 502. Try again.",
    );
  });

  it("never leaves the sentence empty", () => {
    expect(failureOf(new ConnectError("", Code.Internal)).sentence).toBe(
      "Carme answered with Internal.",
    );
  });

  it("ends the session only when it is unauthenticated", () => {
    const ends = (code: Code) =>
      isSessionEnd(failureOf(new ConnectError("x", code)));
    expect(ends(Code.Unauthenticated)).toBe(true);
    expect(ends(Code.PermissionDenied)).toBe(false);
  });

  it("asks for a fresh factor only with the server's words for it", () => {
    const needs = (text: string, code: Code) =>
      needsReauthentication(failureOf(new ConnectError(text, code)));
    expect(needs("fresh factor: prove it", Code.FailedPrecondition)).toBe(true);
    expect(needs("it is the last one", Code.FailedPrecondition)).toBe(false);
    expect(needs("fresh factor: prove it", Code.Unavailable)).toBe(false);
  });
});
