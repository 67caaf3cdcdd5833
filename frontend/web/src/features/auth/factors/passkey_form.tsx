// Creates a passkey with a name for the account.
import { useState } from "preact/hooks";
import type { PasskeyEnrolment } from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { Icon } from "../../../ui/icon";
import { deviceName } from "./device_name";
import { createPasskey, isPasskeyError, passkeyFailure } from "./passkey";
import { messages } from "#messages/auth";

export type NewPasskey = Awaited<ReturnType<typeof createPasskey>>;

export function PasskeyForm(props: {
  enrolment: PasskeyEnrolment;
  busy: boolean;
  onPasskey(passkey: NewPasskey): void;
  onFailure(failure: Failure): void;
}) {
  const { enrolment, busy, onPasskey, onFailure } = props;
  const [name, setName] = useState(() => deviceName(navigator.userAgent));

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !name.trim()) return;
    try {
      onPasskey(await createPasskey(enrolment, name.trim()));
    } catch (error) {
      if (!isPasskeyError(error)) throw error;
      onFailure(passkeyFailure(error));
    }
  };
  return (
    <form class="factor-form" onSubmit={submit}>
      <label class="stacked">
        <span>{messages.name}</span>
        <input
          data-testid="passkey-name"
          name="passkey-name"
          autocomplete="off"
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button
        class="button button-primary button-wide"
        type="submit"
        data-testid="passkey-create"
        aria-disabled={busy || !name.trim()}
      >
        <Icon name="key" /> {busy ? messages.creating : messages.createPasskey}
      </button>
    </form>
  );
}
