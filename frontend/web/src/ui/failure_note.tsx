// A failure with the server's message. Invalid input is shown without the
// request ID, because an administrator cannot help with it.
import { Code } from "@connectrpc/connect";
import type { Failure } from "../api/failure";
import { Icon } from "./icon";
import { RequestId } from "./request_id";

const kOwnErrors: ReadonlySet<Code> = new Set([
  Code.Unauthenticated,
  Code.InvalidArgument,
]);

export function FailureNote(props: { failure: Failure; testId?: string }) {
  const { failure, testId = "failure" } = props;
  return (
    <div class="note note-bad" role="alert" data-testid={testId}>
      <Icon name="alert" />
      <div>
        <p class="sentence">{failure.sentence}</p>
        {kOwnErrors.has(failure.code) || <RequestId id={failure.requestId} />}
      </div>
    </div>
  );
}
