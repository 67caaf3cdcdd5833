import { useState } from "preact/hooks";
import { factorClient } from "../../api/account";
import { RecoveryCodes } from "../auth/factors/recovery_codes";
import { useReauthentication } from "../../session/reauthentication_context";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { messages } from "#messages/account";

const kFew = 3;

export function RecoveryPanel(props: {
  left: number;
  onChanged(): Promise<void>;
}) {
  const { left, onChanged } = props;
  const { session } = useSession();
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [asking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();

  const renew = () =>
    mutation.run(async () => {
      const answer = await withReauthentication(() =>
        factorClient.renewRecoveryCodes({}),
      );
      setAsking(false);
      setCodes(answer.codes);
      void onChanged();
    });
  return (
    <Panel
      title={messages.recoveryCodes}
      about={messages.eachCodeReplacesYourSecond}
      testId="recovery"
      actions={
        <button
          class="button button-small"
          type="button"
          data-testid="renew-codes"
          onClick={() => setAsking(true)}
        >
          {messages.createNewCodes}
        </button>
      }
    >
      <p class="state" data-tone={toneOf(left)} data-testid="codes-left">
        {left === 0
          ? messages.noCodesLeft
          : messages.codesLeft({ count: left })}
      </p>
      {asking && (
        <ConfirmDialog
          title={messages.createTenNewRecoveryCodes}
          mutation={mutation}
          confirm={messages.createNewCodes}
          onConfirm={() => void renew()}
          close={() => setAsking(false)}
        >
          <p>
            <Icon name="alert" /> {messages.yourCurrentCodesStopWorking}
          </p>
        </ConfirmDialog>
      )}
      {codes && (
        <Dialog title={messages.yourRecoveryCodes}>
          <RecoveryCodes
            codes={codes}
            username={session.username}
            onKept={() => setCodes(undefined)}
          />
        </Dialog>
      )}
    </Panel>
  );
}

function toneOf(left: number): "bad" | "wait" | "good" {
  if (left === 0) return "bad";
  return left <= kFew ? "wait" : "good";
}
