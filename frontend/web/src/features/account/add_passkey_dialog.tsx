import { useState } from "preact/hooks";
import { factorClient } from "../../api/account";
import type { Failure } from "../../api/failure";
import { type NewPasskey, PasskeyForm } from "../auth/factors/passkey_form";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { useEnrolment } from "./use_enrollment";

export function AddPasskeyDialog(props: {
  done(what: string): void;
  close(): void;
}) {
  const { done, close } = props;
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const [ownFailure, setOwnFailure] = useState<Failure>();
  const failure = ownFailure ?? act.failure;
  const start = () => factorClient.startPasskey({});
  const enrolment = useEnrolment(act, start, close)?.enrolment;

  const finish = (passkey: NewPasskey) => {
    setOwnFailure(undefined);
    void act.run(async () => {
      await withFreshFactor(() => factorClient.finishPasskey({ passkey }));
      done(`The passkey “${passkey.name}” was added.`);
    });
  };
  return (
    <Dialog title="Add a passkey" close={close}>
      <p class="muted">
        Your browser asks where to keep it: on this computer, on your phone, or
        on a security key.
      </p>
      {failure && <FailureNote failure={failure} testName="factor-failure" />}
      {enrolment && (
        <PasskeyForm
          enrolment={enrolment}
          busy={act.busy}
          onPasskey={finish}
          onFailure={setOwnFailure}
        />
      )}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
