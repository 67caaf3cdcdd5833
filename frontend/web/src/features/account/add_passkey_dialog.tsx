import { useState } from "preact/hooks";
import { factorClient } from "../../api/account";
import type { Failure } from "../../api/failure";
import { type NewPasskey, PasskeyForm } from "../auth/factors/passkey_form";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { useEnrollment } from "./use_enrollment";
import { messages } from "#messages/account";

export function AddPasskeyDialog(props: {
  done(what: string): void;
  close(): void;
}) {
  const { done, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [ownFailure, setOwnFailure] = useState<Failure>();
  const failure = ownFailure ?? mutation.failure;
  const start = () => factorClient.startPasskey({});
  const enrolment = useEnrollment(mutation, start, close)?.enrolment;

  const finish = (passkey: NewPasskey) => {
    setOwnFailure(undefined);
    void mutation.run(async () => {
      await withReauthentication(() => factorClient.finishPasskey({ passkey }));
      done(messages.passkeyAdded({ name: passkey.name ?? "" }));
    });
  };
  return (
    <Dialog title={messages.addPasskey} close={close}>
      <p class="muted">{messages.yourBrowserAsksWhereTo}</p>
      {failure && <FailureNote failure={failure} testId="factor-failure" />}
      {enrolment && (
        <PasskeyForm
          enrolment={enrolment}
          busy={mutation.busy}
          onPasskey={finish}
          onFailure={setOwnFailure}
        />
      )}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </Dialog>
  );
}
