import { useState } from "preact/hooks";
import { factorClient } from "../../api/account";
import { CodeForm } from "../auth/factors/code_form";
import { TotpSteps } from "../auth/factors/totp_steps";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { useEnrollment } from "./use_enrollment";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/account";

export function AddTotpDialog(props: {
  done(what: string): void;
  close(): void;
}) {
  const { done, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [name, setName] = useState<string>(messages.authenticatorApp);
  const start = () => factorClient.startTotp({});
  const enrolment = useEnrollment(mutation, start, close)?.enrolment;

  const finish = (totp: string) => {
    const request = { totp, name: name.trim() || messages.authenticatorApp };
    void mutation.run(async () => {
      await withReauthentication(() => factorClient.finishTotp(request));
      done(messages.authenticatorAppAdded({ name: request.name }));
    });
  };
  return (
    <Dialog title={messages.addAuthenticatorApp} close={close}>
      <TextField
        label={messages.name}
        testId="totp-name"
        maxLength={64}
        spellcheck
        value={name}
        onValue={setName}
      />
      {enrolment && (
        <TotpSteps enrolment={enrolment}>
          {mutation.failure && (
            <FailureNote failure={mutation.failure} testId="factor-failure" />
          )}
          <CodeForm
            busy={mutation.busy}
            failed={mutation.failure}
            onCode={finish}
          />
        </TotpSteps>
      )}
      {!enrolment && mutation.failure && (
        <FailureNote failure={mutation.failure} />
      )}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </Dialog>
  );
}
