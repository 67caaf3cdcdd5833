// The steps of the login: password, new password if required, second factor,
// and recovery codes after the first enrollment. After too many wrong passwords
// the factor comes first.
import { useState } from "preact/hooks";
import type { LoginResponse, Session, VerifyFactorResponse } from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { RecoveryCodes } from "../factors/recovery_codes";
import { Icon } from "../../../ui/icon";
import { type Credentials, FactorFirstStep } from "./factor_first_step";
import { FactorStep } from "./factor_step";
import { NewPasswordStep } from "./new_password_step";
import { PasswordStep } from "./password_step";
import { useChallenge } from "./use_challenge";
import { messages } from "#messages/auth";

export function LoginSteps(props: {
  reason: string; // why the login page is shown; may be empty
  onSession(session: Session): void;
}) {
  const [reason, setReason] = useState(props.reason);
  const [answer, setAnswer] = useState<LoginResponse>();
  const [typed, setTyped] = useState<Credentials>();
  const [oldPassword, setOldPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  // Why the directory rejected the new password. The factor was accepted.
  const [refused, setRefused] = useState<Failure>();
  const [verified, setVerified] = useState<VerifyFactorResponse>();

  const startOver = (why: string) => {
    setReason(why);
    setAnswer(undefined);
    setTyped(undefined);
    setOldPassword("");
    setNewPassword("");
    setRefused(undefined);
  };
  const onVerified = (done: VerifyFactorResponse) => {
    if (done.recoveryCodes.length > 0) setVerified(done);
    else if (done.session) props.onSession(done.session);
  };
  const challenge = useChallenge({
    challenge: verified ? "" : (answer?.challenge ?? ""),
    onVerified,
    onStartOver: startOver,
    onPasswordRefused(failure) {
      setNewPassword("");
      setRefused(failure);
    },
  });
  const passwordsWith = (password: string) =>
    password ? { oldPassword, newPassword: password } : {};
  const onPassword = (password: string) => {
    if (refused) void challenge.verify(passwordsWith(password));
    else setNewPassword(password);
  };

  if (verified?.session) {
    const { session, recoveryCodes } = verified;
    return (
      <>
        <h1>{messages.yourRecoveryCodes}</h1>
        <RecoveryCodes
          codes={recoveryCodes}
          username={session.username}
          onKept={() => props.onSession(session)}
        />
      </>
    );
  }
  const onAnswer = (next: LoginResponse, from: Credentials) => {
    setAnswer(next);
    setTyped(next.factorFirst ? from : undefined);
    setOldPassword(next.passwordMustChange ? from.password : "");
  };
  if (!answer) return <PasswordStep reason={reason} onAnswer={onAnswer} />;
  return (
    <>
      {answer.factorFirst && typed ? (
        <FactorFirstStep
          question={answer.factorFirst}
          credentials={typed}
          onAnswer={(next) => onAnswer(next, typed)}
          onStartOver={startOver}
        />
      ) : answer.passwordMustChange && !newPassword ? (
        <NewPasswordStep
          message={answer.passwordMessage}
          rules={answer.passwordRules}
          oldPassword={oldPassword}
          busy={challenge.busy}
          failure={challenge.failure ?? refused}
          onPassword={onPassword}
        />
      ) : (
        <>
          {!answer.passwordMustChange && answer.passwordMessage && (
            <div class="note" role="status" data-testid="password-message">
              <p class="sentence">{answer.passwordMessage}</p>
            </div>
          )}
          <FactorStep
            answer={answer}
            challenge={{
              ...challenge,
              verify: (proof) =>
                challenge.verify({ ...proof, ...passwordsWith(newPassword) }),
            }}
          />
        </>
      )}
      <button
        class="link-button start-over"
        type="button"
        onClick={() => startOver("")}
      >
        <Icon name="back" /> {messages.startOver}
      </button>
    </>
  );
}
