import { useState } from "preact/hooks";
import { factorClient } from "../../api/account";
import { CodeForm } from "../auth/factors/code_form";
import { TotpSteps } from "../auth/factors/totp_steps";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { useEnrolment } from "./use_enrollment";

export function AddTotpDialog(props: {
  done(what: string): void;
  close(): void;
}) {
  const { done, close } = props;
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const [name, setName] = useState("Authenticator app");
  const start = () => factorClient.startTotp({});
  const enrolment = useEnrolment(act, start, close)?.enrolment;

  const finish = (totp: string) => {
    const request = { totp, name: name.trim() || "Authenticator app" };
    void act.run(async () => {
      await withFreshFactor(() => factorClient.finishTotp(request));
      done(`The app “${request.name}” was added.`);
    });
  };
  return (
    <Dialog title="Add an authenticator app" close={close}>
      <label class="stacked">
        <span>Its name in your list</span>
        <input
          data-test="totp-name"
          autocomplete="off"
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {enrolment && (
        <TotpSteps enrolment={enrolment}>
          {act.failure && (
            <FailureNote failure={act.failure} testName="factor-failure" />
          )}
          <CodeForm busy={act.busy} failed={act.failure} onCode={finish} />
        </TotpSteps>
      )}
      {!enrolment && act.failure && <FailureNote failure={act.failure} />}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
