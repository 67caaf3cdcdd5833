import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { JobSpecSchema } from "#proto/jobs";
import {
  intentFor,
  isDefinite,
} from "../../../../src/features/start/form/submit_intent";

const one = () => create(JobSpecSchema, { app: "jupyter", gpusPerNode: 1 });
const two = () => create(JobSpecSchema, { app: "jupyter", gpusPerNode: 2 });

describe("the idempotency key", () => {
  it("is kept for a retry of the same spec", () => {
    const first = intentFor(one(), undefined, () => "k1");
    expect(intentFor(one(), first, () => "k2").key).toBe("k1");
  });

  it("changes with the spec", () => {
    const first = intentFor(one(), undefined, () => "k1");
    expect(intentFor(two(), first, () => "k2").key).toBe("k2");
  });

  it("is kept if the job may exist", () => {
    for (const code of [
      Code.Unavailable,
      Code.DeadlineExceeded,
      Code.Internal,
      Code.Unknown,
      Code.Canceled,
      Code.Unauthenticated,
    ]) {
      expect(isDefinite(code)).toBe(false);
    }
  });

  it("is dropped after a rejection", () => {
    for (const code of [
      Code.InvalidArgument,
      Code.PermissionDenied,
      Code.ResourceExhausted,
      Code.FailedPrecondition,
    ]) {
      expect(isDefinite(code)).toBe(true);
    }
  });
});
