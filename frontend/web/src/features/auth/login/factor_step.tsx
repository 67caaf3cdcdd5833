// Confirms the second factor, or enrolls the first one.
import { useEvent } from "../../../lib/use_event";
import { useEffect, useState } from "preact/hooks";
import type { LoginResponse } from "#proto/auth";
import { CodeForm } from "../factors/code_form";
import { browserHasPasskeys } from "../factors/passkey";
import { PasskeyForm } from "../factors/passkey_form";
import { ProveFactor } from "../factors/prove_factor";
import { TotpSteps } from "../factors/totp_steps";
import { FailureNote } from "../../../ui/failure_note";
import { ChooseFactorStep } from "./choose_factor_step";
import { factorStep } from "./login_step";
import type { Challenge } from "./use_challenge";
import { messages } from "#messages/auth";

export function FactorStep(props: {
  answer: LoginResponse;
  challenge: Challenge;
}) {
  const { answer, challenge } = props;
  const [step, setStep] = useState(() =>
    factorStep(answer, browserHasPasskeys()),
  );
  switch (step) {
    case "proved":
      return <Proved challenge={challenge} />;
    case "choose":
      return (
        <ChooseFactorStep
          onPasskey={() => setStep("enrol-passkey")}
          onTotp={() => setStep("enrol-totp")}
        />
      );
    case "enrol-totp":
      return <EnrollTotp {...props} />;
    case "enrol-passkey":
      return <EnrollPasskey {...props} />;
    case "no-way":
      return (
        <p class="note" role="alert">
          {messages.yourAccountRequiresAPasskey}
        </p>
      );
    case "prove":
      return (
        <>
          <h1>{messages.confirmYourSecondFactor}</h1>
          <ProveFactor
            factors={answer.factors}
            passkeyRequest={answer.passkeyRequest}
            busy={challenge.busy}
            failure={challenge.failure}
            onProof={challenge.verify}
          />
        </>
      );
  }
}

// No further input is needed: the session starts.
function Proved({ challenge }: { challenge: Challenge }) {
  const { busy, failure, verify } = challenge;
  const start = useEvent(() => verify({}));
  useEffect(() => void start(), [start]);
  return (
    <>
      <h1>{messages.loggingIn}</h1>
      {failure && <FailureNote failure={failure} testId="login-failure" />}
      <button
        class="button button-primary button-wide"
        type="button"
        aria-disabled={busy}
        onClick={() => void verify({})}
      >
        {busy || !failure ? messages.loggingInLabel : messages.tryAgain}
      </button>
    </>
  );
}

interface StepProps {
  answer: LoginResponse;
  challenge: Challenge;
}

function EnrollTotp({ answer, challenge }: StepProps) {
  const { busy, failure, verify } = challenge;
  if (!answer.enrolment) return null;
  return (
    <>
      <h1>{messages.setUpYourAuthenticatorApp}</h1>
      {failure && <FailureNote failure={failure} testId="login-failure" />}
      <TotpSteps enrolment={answer.enrolment}>
        <CodeForm
          busy={busy}
          failed={failure}
          onCode={(totp) => void verify({ totp })}
        />
      </TotpSteps>
    </>
  );
}

function EnrollPasskey({ answer, challenge }: StepProps) {
  const { busy, failure, verify, fail } = challenge;
  if (!answer.passkeyEnrolment) return null;
  return (
    <>
      <h1>{messages.createYourPasskey}</h1>
      <p class="muted">{messages.yourBrowserAsksWhereTo}</p>
      {failure && <FailureNote failure={failure} testId="login-failure" />}
      <PasskeyForm
        enrolment={answer.passkeyEnrolment}
        busy={busy}
        onPasskey={(newPasskey) => void verify({ newPasskey })}
        onFailure={fail}
      />
    </>
  );
}
