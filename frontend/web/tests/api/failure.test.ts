import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  failureOf,
  isSessionEnd,
  needsReauthentication,
} from "../../src/api/failure";

const kWithId = { "x-request-id": "r-1" };

describe("a failed call", () => {
  it("has the server's message and the request ID", () => {
    const error = new ConnectError("try again", Code.Unavailable, kWithId);
    expect(failureOf(error)).toEqual({
      code: Code.Unavailable,
      sentence: "try again",
      requestId: "r-1",
    });
  });

  it("reports an unreachable server when fetch failed", () => {
    const error = ConnectError.from(new TypeError("Failed to fetch"));
    expect(failureOf(error)).toMatchObject({
      code: Code.Unavailable,
      sentence: "Cannot reach Carme. Check your connection and try again.",
    });
  });

  it("distinguishes a client timeout from a server deadline", () => {
    const ours = new ConnectError("timed out", Code.DeadlineExceeded);
    expect(failureOf(ours).sentence).toBe("The request timed out. Try again.");
    const its = new ConnectError("slow", Code.DeadlineExceeded, kWithId);
    expect(failureOf(its).sentence).toBe("slow");
  });

  it("explains a bare HTTP status", () => {
    const error = new ConnectError("HTTP 502", Code.Unavailable);
    expect(failureOf(error).sentence).toBe(
      "The server returned HTTP status 502. Try again.",
    );
  });

  it("always has a message", () => {
    expect(failureOf(new ConnectError("", Code.Internal)).sentence).toBe(
      "The server returned Internal.",
    );
  });

  it("ends the session only when it is unauthenticated", () => {
    const ends = (code: Code) =>
      isSessionEnd(failureOf(new ConnectError("x", code)));
    expect(ends(Code.Unauthenticated)).toBe(true);
    expect(ends(Code.PermissionDenied)).toBe(false);
  });

  it("requires reauthentication only for that reason", () => {
    const needs = (reason: string) => {
      const error = new ConnectError("x", Code.FailedPrecondition);
      error.details.push({
        type: "google.rpc.ErrorInfo",
        value: new Uint8Array(),
        debug: { reason, domain: "carme" },
      });
      return needsReauthentication(failureOf(error));
    };
    expect(needs("REAUTHENTICATION_REQUIRED")).toBe(true);
    expect(needs("OTHER")).toBe(false);
    const plain = new ConnectError("x", Code.FailedPrecondition);
    expect(needsReauthentication(failureOf(plain))).toBe(false);
  });
});
