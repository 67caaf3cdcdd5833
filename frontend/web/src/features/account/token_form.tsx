import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreateTokenResponse, TokenScope } from "#proto/account";
import { accountClient } from "../../api/account";
import { formatDay } from "../../lib/format/moment";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { ScopeChoice } from "./scope_choice";
import { kCalendarScope } from "../reservations/calendar_address";
import { addressesOf } from "./token_addresses";
import {
  expiryMs,
  lifetimeLabel,
  proposedLifetime,
  tokenLifetimes,
} from "./token_lifetime";
import { SelectField, TextField } from "../../ui/form/field";
import { messages } from "#messages/account";

const kAddresses = "192.0.2.10, 198.51.100.0/24, 2001:db8::/32";

export function TokenForm(props: {
  scopes: readonly TokenScope[];
  maxDays: number;
  onCreated(answer: CreateTokenResponse): void;
  close(): void;
}) {
  const { onCreated, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const lifetimes = tokenLifetimes(props.maxDays);
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState(proposedLifetime(lifetimes));
  const [addresses, setAddresses] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const ready = name.trim() !== "" && scopes.length > 0;

  const submit = (event: Event) => {
    event.preventDefault();
    if (!ready) return;
    void mutation.run(async () => {
      const expiresAt = timestampFromMs(expiryMs(days, Date.now()));
      const request = {
        name: name.trim(),
        scopes: [...scopes],
        expiresAt,
        addresses: addressesOf(addresses),
      };
      onCreated(
        await withReauthentication(() => accountClient.createToken(request)),
      );
    });
  };
  return (
    <form class="narrow-form" data-testid="token-form" onSubmit={submit}>
      <TextField
        label={messages.name}
        inputRef={first}
        testId="token-name"
        maxLength={64}
        placeholder={messages.nightlyTraining}
        spellcheck
        value={name}
        onValue={setName}
      />
      <ScopeChoice
        offered={props.scopes.filter(({ scope }) => scope !== kCalendarScope)}
        chosen={scopes}
        onChosen={setScopes}
      />
      <SelectField
        label={messages.validFor}
        testId="token-life"
        value={days}
        options={lifetimes.map((each) => [
          each,
          messages.lifetimeUntil({
            lifetime: lifetimeLabel(each),
            day: formatDay(expiryMs(each, Date.now())),
          }),
        ])}
        onValue={setDays}
      />
      <label class="stacked">
        <span>{messages.allowedIpAddressesOptional}</span>
        <input
          data-testid="token-addresses"
          autocomplete="off"
          placeholder={kAddresses}
          value={addresses}
          onInput={(event) => setAddresses(event.currentTarget.value)}
        />
        <span class="muted small">{messages.theTokenIsRejectedFrom}</span>
      </label>
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="token-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="token-create"
          aria-disabled={mutation.busy || !ready}
        >
          {mutation.busy ? messages.creating : messages.createToken}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
