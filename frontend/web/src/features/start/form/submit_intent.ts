// The idempotency key of what the user means to start. The same wish keeps its
// key until the server has answered it, so that a retry finds the first try's
// job instead of starting a second one.
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

// Refusals after which there is certainly no job. Anything else may have left
// one behind, so the key is kept for the retry.
const kRefusals: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.PermissionDenied,
  Code.ResourceExhausted,
  Code.FailedPrecondition,
  Code.Unimplemented,
]);

export function isSettled(code: Code): boolean {
  return kRefusals.has(code);
}
