// The server's own sentence, word for word. A mistyped password is nothing to
// ask an administrator about, so it comes without the request id.
import { type Failure, isSessionEnd } from "../api/failure";
import { Icon } from "../ui/icon";
import { RequestId } from "../ui/request_id";

export function LoginFailure({ failure }: { failure: Failure }) {
  return (
    <div class="note note-bad" role="alert" data-test="login-failure">
      <Icon name="alert" />
      <div>
        <p class="sentence">{failure.sentence}</p>
        {isSessionEnd(failure) || <RequestId id={failure.requestId} />}
      </div>
    </div>
  );
}
