// Confirms a second factor of the account, at the login and for
// reauthentication.
import { useEffect, useRef, useState } from "preact/hooks";
import { Factor, type PasskeyRequest } from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { CodeForm } from "./code_form";
import type { FactorProof } from "./factor_proof";
import {
  browserHasPasskeys,
  isPasskeyError,
  passkeyFailure,
  assertPasskey,
} from "./passkey";
import { RecoveryForm } from "./recovery_form";
import {
  kSwitchLabels,
  kMethodLabels,
  type FactorMethod,
  factorMethods,
} from "./factor_methods";
import { messages } from "#messages/auth";

export function ProveFactor(props: {
  factors: readonly Factor[];
  passkeyRequest: PasskeyRequest | undefined;
  initial?: FactorMethod; // shown first
  busy: boolean;
  failure: Failure | undefined; // of the last proof
  onProof(proof: FactorProof): void;
}) {
  const { factors, passkeyRequest, busy, onProof } = props;
  const methods = factorMethods(
    factors,
    !!passkeyRequest && browserHasPasskeys(),
  );
  const [chosen, setChosen] = useState<FactorMethod | undefined>(props.initial);
  const [ownFailure, setOwnFailure] = useState<Failure>();
  const failure = ownFailure ?? props.failure;
  const method = chosen ?? methods[0];

  const choose = (next: FactorMethod) => {
    setOwnFailure(undefined);
    setChosen(next);
  };
  const prove = (proof: FactorProof) => {
    setOwnFailure(undefined);
    onProof(proof);
  };
  const provePasskey = async () => {
    if (!passkeyRequest || busy) return;
    try {
      prove({ passkey: await assertPasskey(passkeyRequest) });
    } catch (error) {
      if (!isPasskeyError(error)) throw error;
      setOwnFailure(passkeyFailure(error));
    }
  };

  if (!method) return <NoSupportedFactor />;
  return (
    <div class="prove">
      <p class="muted">{kMethodLabels[method]}</p>
      {failure && <FailureNote failure={failure} testId="factor-failure" />}
      {method === Factor.TOTP && (
        <CodeForm
          busy={busy}
          failed={failure}
          onCode={(totp) => prove({ totp })}
        />
      )}
      {method === Factor.RECOVERY && (
        <RecoveryForm
          busy={busy}
          failed={failure}
          onCode={(recoveryCode) => prove({ recoveryCode })}
        />
      )}
      {method === Factor.PASSKEY && (
        <PasskeyButton busy={busy} onPress={provePasskey} />
      )}
      <div class="other-ways">
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <button
              key={other}
              class="link-button"
              type="button"
              data-testid={`way-${Factor[other].toLowerCase()}`}
              onClick={() => choose(other)}
            >
              {kSwitchLabels[other]}
            </button>
          ))}
      </div>
    </div>
  );
}

function PasskeyButton(props: { busy: boolean; onPress(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <button
      ref={button}
      class="button button-primary button-wide"
      type="button"
      data-testid="passkey-use"
      aria-disabled={props.busy}
      onClick={props.onPress}
    >
      <Icon name="key" /> {props.busy ? messages.checking : messages.usePasskey}
    </button>
  );
}

function NoSupportedFactor() {
  return (
    <p class="note" role="alert">
      {messages.yourAccountHasOnlyPasskeys}
    </p>
  );
}
