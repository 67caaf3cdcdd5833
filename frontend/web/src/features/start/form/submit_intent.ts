// The idempotency key of a submission. The same spec keeps its key until the
// server has accepted or rejected it, so a retry returns the first job instead
// of starting a second one.
import { toJsonString } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type JobSpec, JobSpecSchema } from "#proto/jobs";

export interface SubmitIntent {
  readonly spec: string;
  readonly key: string;
}

export function intentFor(
  spec: JobSpec,
  before: SubmitIntent | undefined,
  newKey: () => string,
): SubmitIntent {
  const text = toJsonString(JobSpecSchema, spec);
  return before?.spec === text ? before : { spec: text, key: newKey() };
}

// Errors after which no job exists. After any other error a job may exist, so
// the key is kept for the retry.
const kRefusals: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.PermissionDenied,
  Code.ResourceExhausted,
  Code.FailedPrecondition,
  Code.Unimplemented,
]);

export function isDefinite(code: Code): boolean {
  return kRefusals.has(code);
}
