import { useState } from "preact/hooks";
import { Factor } from "#proto/auth";
import type { EnrolledFactor, ListFactorsResponse } from "#proto/factors";
import { browserHasPasskeys } from "../auth/factors/passkey";
import { Icon } from "../../ui/icon";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { AddPasskeyDialog } from "./add_passkey_dialog";
import { AddTotpDialog } from "./add_totp_dialog";
import { FactorRow } from "./factor_row";
import { RemoveFactorDialog } from "./remove_factor_dialog";
import { messages } from "#messages/account";

type Open = { adding: Factor } | { removing: EnrolledFactor };

export function FactorsPanel(props: {
  account: ListFactorsResponse;
  onChanged(): Promise<void>;
}) {
  const { factors, allowed } = props.account;
  const [open, setOpen] = useState<Open>();
  const confirm = useConfirmation();
  const close = () => setOpen(undefined);
  const done = (what: string) => {
    close();
    confirm(what);
    void props.onChanged();
  };
  const adding = open && "adding" in open ? open.adding : undefined;

  return (
    <Panel
      title={messages.secondFactors}
      about={messages.youConfirmOneOfThese}
      testId="factors"
      actions={
        <>
          {allowed.includes(Factor.PASSKEY) && browserHasPasskeys() && (
            <button
              class="button button-small"
              type="button"
              data-testid="add-passkey"
              onClick={() => setOpen({ adding: Factor.PASSKEY })}
            >
              <Icon name="key" /> {messages.addPasskey}
            </button>
          )}
          {allowed.includes(Factor.TOTP) && (
            <button
              class="button button-small"
              type="button"
              data-testid="add-totp"
              onClick={() => setOpen({ adding: Factor.TOTP })}
            >
              <Icon name="phone" /> {messages.addAuthenticatorApp}
            </button>
          )}
        </>
      }
    >
      <ul class="rows">
        {factors.map((factor) => (
          <FactorRow
            key={factor.id}
            factor={factor}
            last={factors.length === 1}
            onRemove={() => setOpen({ removing: factor })}
          />
        ))}
      </ul>
      {adding === Factor.PASSKEY && (
        <AddPasskeyDialog done={done} close={close} />
      )}
      {adding === Factor.TOTP && <AddTotpDialog done={done} close={close} />}
      {open && "removing" in open && (
        <RemoveFactorDialog factor={open.removing} done={done} close={close} />
      )}
    </Panel>
  );
}
