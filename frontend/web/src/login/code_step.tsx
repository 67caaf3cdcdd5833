// The second factor: six digits, sent as soon as the sixth is there.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "#proto/auth";
import { authClient } from "../api/clients";
import { type Failure, failureOf, isSessionEnd } from "../api/failure";
import { Icon } from "../ui/icon";
import { digitsOf, kCodeLength, kMostTries, kStepMs } from "./code";
import { LoginFailure } from "./login_failure";

const kTookTooLong = "That took more than five minutes. Log in again.";

export function CodeStep(props: {
  challenge: string;
  onSession(session: Session): void;
  startOver(reason: string): void;
}) {
  const { challenge, onSession, startOver } = props;
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const tries = useRef(0);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    input.current?.focus();
    const timer = setTimeout(() => startOver(kTookTooLong), kStepMs);
    return () => clearTimeout(timer);
  }, []);

  const verify = async (totp: string) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const { session } = await authClient.verifyFactor({ challenge, totp });
      if (session) return onSession(session);
    } catch (error) {
      refused(failureOf(error));
    }
    setBusy(false);
  };
  const refused = (next: Failure) => {
    const wrong = isSessionEnd(next);
    if (wrong && ++tries.current >= kMostTries) {
      return startOver(next.sentence);
    }
    setFailure(next);
    setCode("");
    input.current?.focus();
  };
  const type = (text: string) => {
    const digits = digitsOf(text);
    setCode(digits);
    if (digits.length === kCodeLength && !busy) void verify(digits);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    type(code);
  };

  return (
    <form class="login-form" onSubmit={submit}>
      {failure && <LoginFailure failure={failure} />}
      <label class="stacked">
        <span>Code from your app</span>
        <input
          ref={input}
          class="code-input"
          data-test="totp-input"
          name="totp"
          inputMode="numeric"
          autocomplete="one-time-code"
          placeholder="••••••"
          readOnly={busy}
          value={code}
          onInput={(event) => {
            type(event.currentTarget.value);
            // Preact leaves the input alone where the state stays the same.
            event.currentTarget.value = digitsOf(event.currentTarget.value);
          }}
        />
      </label>
      <p class="muted small" role="status">
        {busy ? "Checking the code…" : "Checked as soon as it is complete."}
      </p>
      <button class="link-button" type="button" onClick={() => startOver("")}>
        <Icon name="back" /> Start over
      </button>
    </form>
  );
}
