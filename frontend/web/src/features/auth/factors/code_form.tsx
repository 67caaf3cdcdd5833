// A form for a six-digit code. Submits after the sixth digit.
import { useEffect, useRef, useState } from "preact/hooks";
import { digitsOf, kCodeLength } from "./code";
import { messages } from "#messages/auth";

export function CodeForm(props: {
  busy: boolean;
  failed: unknown; // changes when the code was rejected; clears the input
  onCode(code: string): void;
}) {
  const { busy, failed, onCode } = props;
  const [code, setCode] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (failed) setCode("");
    input.current?.focus();
  }, [failed]);

  const type = (text: string) => {
    const digits = digitsOf(text);
    setCode(digits);
    if (digits.length === kCodeLength && !busy) onCode(digits);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    type(code);
  };

  return (
    <form class="factor-form" onSubmit={submit}>
      <label class="stacked">
        <span>{messages.codeFromYourApp}</span>
        <input
          ref={input}
          class="code-input"
          data-testid="totp-input"
          name="totp"
          inputMode="numeric"
          autocomplete="one-time-code"
          placeholder="••••••"
          readOnly={busy}
          value={code}
          onInput={(event) => {
            type(event.currentTarget.value);
            // Preact does not update the input when the state is unchanged.
            event.currentTarget.value = digitsOf(event.currentTarget.value);
          }}
        />
      </label>
      <p class="muted small" role="status">
        {busy ? messages.checkingTheCode : messages.submittedAfterTheSixthDigit}
      </p>
    </form>
  );
}
