// The directory requires a new password before the login. It is sent together
// with the second factor; nothing has changed so far.
import { Code } from "@connectrpc/connect";
import { useState } from "preact/hooks";
import type { Failure } from "../../../api/failure";
import { newPasswordError } from "../new_password";
import { NewPasswordFields } from "../new_password_fields";
import { FailureNote } from "../../../ui/failure_note";
import { messages } from "#messages/auth";

export function NewPasswordStep(props: {
  message: string; // from the directory; may be empty
  rules: readonly string[];
  oldPassword: string;
  busy: boolean;
  failure: Failure | undefined; // why the last password was rejected
  onPassword(password: string): void;
}) {
  const { message, rules, oldPassword, busy, onPassword } = props;
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const [parseError, setParseError] = useState("");
  const failure = parseError ? ownError(parseError) : props.failure;

  const submit = (event: Event) => {
    event.preventDefault();
    const entry = { old: oldPassword, password, repeated };
    const found = newPasswordError(entry);
    setParseError(found);
    if (!found && !busy) onPassword(password);
  };
  return (
    <form class="login-form" data-testid="new-password-step" onSubmit={submit}>
      <h1>{messages.chooseANewPassword}</h1>
      <p class="muted sentence">
        {message || messages.yourAccountRequiresANew}
      </p>
      {failure && <FailureNote failure={failure} testId="login-failure" />}
      <NewPasswordFields
        rules={rules}
        password={password}
        repeated={repeated}
        onPassword={setPassword}
        onRepeated={setRepeated}
      />
      <button
        class="button button-primary"
        type="submit"
        data-testid="password-submit"
        aria-disabled={busy}
      >
        {busy ? messages.checking : messages.continue}
      </button>
    </form>
  );
}

function ownError(sentence: string): Failure {
  return { code: Code.InvalidArgument, sentence, requestId: "" };
}
