import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { JobSpecSchema } from "#proto/jobs";
import {
  intentFor,
  isSettled,
} from "../../../../src/features/start/form/submit_intent";

const one = () => create(JobSpecSchema, { app: "jupyter", gpusPerNode: 1 });
const two = () => create(JobSpecSchema, { app: "jupyter", gpusPerNode: 2 });

describe("the idempotency key", () => {
  it("is the same for a second try of the same wish", () => {
    const first = intentFor(one(), undefined, () => "k1");
    expect(intentFor(one(), first, () => "k2").key).toBe("k1");
  });

  it("is a new one when the wish has changed", () => {
    const first = intentFor(one(), undefined, () => "k1");
    expect(intentFor(two(), first, () => "k2").key).toBe("k2");
  });

  it("is kept where the job may exist although no answer came", () => {
    for (const code of [
      Code.Unavailable,
      Code.DeadlineExceeded,
      Code.Internal,
      Code.Unknown,
      Code.Canceled,
      Code.Unauthenticated,
    ]) {
      expect(isSettled(code)).toBe(false);
    }
  });

  it("is given up after a refusal, or the next try would find the refused job", () => {
    for (const code of [
      Code.InvalidArgument,
      Code.PermissionDenied,
      Code.ResourceExhausted,
      Code.FailedPrecondition,
    ]) {
      expect(isSettled(code)).toBe(true);
    }
  });
});
