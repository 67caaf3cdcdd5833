import { useEffect, useRef, useState } from "preact/hooks";
import { messages } from "#messages/auth";

export function RecoveryForm(props: {
  busy: boolean;
  failed: unknown;
  onCode(code: string): void;
}) {
  const { busy, failed, onCode } = props;
  const [code, setCode] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [failed]);

  const submit = (event: Event) => {
    event.preventDefault();
    if (!busy && code.trim()) onCode(code.trim());
  };
  return (
    <form class="factor-form" onSubmit={submit}>
      <label class="stacked">
        <span>{messages.recoveryCode}</span>
        <input
          ref={input}
          class="mono"
          data-testid="recovery-input"
          name="recovery"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={64}
          readOnly={busy}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="recovery-submit"
        aria-disabled={busy || code.trim() === ""}
      >
        {busy ? messages.checking : messages.continue}
      </button>
    </form>
  );
}
