import { Code } from "@connectrpc/connect";
import { useState } from "preact/hooks";
import { accountClient } from "../../api/account";
import type { Failure } from "../../api/failure";
import { newPasswordError } from "../auth/new_password";
import { NewPasswordFields } from "../auth/new_password_fields";
import { useReauthentication } from "../../session/reauthentication_context";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { messages } from "#messages/account";

export function PasswordForm(props: {
  rules: readonly string[];
  done(): void;
  close(): void;
}) {
  const { session } = useSession();
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [old, setOld] = useState("");
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const [parseError, setParseError] = useState<Failure>();
  const failure = parseError ?? mutation.failure;

  const submit = (event: Event) => {
    event.preventDefault();
    const sentence = newPasswordError({ old, password, repeated });
    setParseError(
      sentence
        ? { code: Code.InvalidArgument, sentence, requestId: "" }
        : undefined,
    );
    if (sentence) return;
    void mutation.run(async () => {
      const request = { oldPassword: old, newPassword: password };
      await withReauthentication(() => accountClient.changePassword(request));
      props.done();
    });
  };
  return (
    <form class="narrow-form" data-testid="password-form" onSubmit={submit}>
      {/* For password managers, which ask whose password it is. */}
      <input
        hidden
        name="username"
        autocomplete="username"
        readOnly
        value={session.username}
      />
      <label class="stacked">
        <span>{messages.currentPassword}</span>
        <input
          data-testid="password-old"
          type="password"
          name="password"
          autocomplete="current-password"
          maxLength={1024}
          required
          value={old}
          onInput={(event) => setOld(event.currentTarget.value)}
        />
      </label>
      <NewPasswordFields
        rules={props.rules}
        password={password}
        repeated={repeated}
        onPassword={setPassword}
        onRepeated={setRepeated}
      />
      {failure && <FailureNote failure={failure} testId="password-failure" />}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="password-submit"
          aria-disabled={mutation.busy}
        >
          {mutation.busy ? messages.saving : messages.changePassword}
        </button>
        <button class="button" type="button" onClick={props.close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
