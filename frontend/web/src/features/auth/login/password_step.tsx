import { useEffect, useRef, useState } from "preact/hooks";
import type { LoginResponse } from "#proto/auth";
import { authClient } from "../../../api/core";
import { type Failure, failureOf } from "../../../api/failure";
import { FailureNote } from "../../../ui/failure_note";
import type { Credentials } from "./factor_first_step";
import { messages } from "#messages/auth";

export function PasswordStep(props: {
  reason: string; // why the login page is shown; may be empty
  onAnswer(answer: LoginResponse, typed: Credentials): void;
}) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const typed = { username: username.trim(), password };
      props.onAnswer(await authClient.login(typed), typed);
    } catch (error) {
      setFailure(failureOf(error));
      setPassword("");
      setBusy(false);
    }
  };

  return (
    <form class="login-form" onSubmit={submit}>
      <h1>{messages.logIn}</h1>
      {failure ? (
        <FailureNote failure={failure} testId="login-failure" />
      ) : (
        props.reason && (
          <p class="note" role="status">
            {props.reason}
          </p>
        )
      )}
      <label class="stacked">
        <span>{messages.userName}</span>
        <input
          ref={first}
          data-testid="login-username"
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          maxLength={64}
          required
          value={username}
          onInput={(event) => setUsername(event.currentTarget.value)}
        />
      </label>
      <label class="stacked">
        <span>{messages.password}</span>
        <input
          data-testid="login-password"
          type="password"
          name="password"
          autocomplete="current-password"
          maxLength={1024}
          required
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="login-submit"
        aria-disabled={busy}
      >
        {busy ? messages.checking : messages.continue}
      </button>
      <p class="muted small">{messages.useYourClusterAccountThe}</p>
    </form>
  );
}
