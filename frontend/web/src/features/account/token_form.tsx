import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreateTokenResponse, TokenScope } from "#proto/account";
import { accountClient } from "../../api/account";
import { formatDay } from "../../lib/format/moment";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { ScopeChoice } from "./scope_choice";
import { addressesOf } from "./token_addresses";
import { expiryMs, lifeWords, proposedLife, tokenLives } from "./token_lifetime";

export function TokenForm(props: {
  scopes: readonly TokenScope[];
  maxDays: number;
  onCreated(answer: CreateTokenResponse): void;
  close(): void;
}) {
  const { onCreated, close } = props;
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const lives = tokenLives(props.maxDays);
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState(proposedLife(lives));
  const [addresses, setAddresses] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const ready = name.trim() !== "" && scopes.length > 0;

  const submit = (event: Event) => {
    event.preventDefault();
    if (!ready) return;
    void act.run(async () => {
      const expiresAt = timestampFromMs(expiryMs(days, Date.now()));
      const request = {
        name: name.trim(),
        scopes: [...scopes],
        expiresAt,
        addresses: addressesOf(addresses),
      };
      onCreated(
        await withFreshFactor(() => accountClient.createToken(request)),
      );
    });
  };
  return (
    <form class="narrow-form" data-test="token-form" onSubmit={submit}>
      <label class="stacked">
        <span>Name</span>
        <input
          ref={first}
          data-test="token-name"
          autocomplete="off"
          maxLength={64}
          placeholder="What it is for: nightly training"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <ScopeChoice
        offered={props.scopes}
        chosen={scopes}
        onChosen={setScopes}
      />
      <label class="stacked">
        <span>Valid for</span>
        <select
          data-test="token-life"
          value={days}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        >
          {lives.map((each) => (
            <option key={each} value={each}>
              {lifeWords(each)}, until {formatDay(expiryMs(each, Date.now()))}
            </option>
          ))}
        </select>
      </label>
      <label class="stacked">
        <span>Only from these addresses (optional)</span>
        <input
          data-test="token-addresses"
          autocomplete="off"
          placeholder="192.0.2.10, 198.51.100.0/24, 2001:db8::/32"
          value={addresses}
          onInput={(event) => setAddresses(event.currentTarget.value)}
        />
        <span class="muted small">
          Carme refuses the token from everywhere else.
        </span>
      </label>
      {act.failure && (
        <FailureNote failure={act.failure} testName="token-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-test="token-create"
          aria-disabled={act.busy || !ready}
        >
          {act.busy ? "Creating…" : "Create the token"}
        </button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
