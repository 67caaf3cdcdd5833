// The two steps of the log-in, and the enrolment inside the second.
import { useState } from "preact/hooks";
import type { LoginResponse, Session } from "#proto/auth";
import { Logo } from "../ui/logo";
import { ThemeSwitch } from "../ui/theme_switch";
import { CodeStep } from "./code_step";
import { EnrolmentStep } from "./enrolment_step";
import { LoginBackdrop } from "./login_backdrop";
import { PasswordStep } from "./password_step";

export function LoginPage(props: {
  reason: string;
  onSession(session: Session): void;
}) {
  const [reason, setReason] = useState(props.reason);
  const [challenge, setChallenge] = useState<LoginResponse>();

  const startOver = (why: string) => {
    setReason(why);
    setChallenge(undefined);
  };
  const code = challenge && (
    <CodeStep
      challenge={challenge.challenge}
      onSession={props.onSession}
      startOver={startOver}
    />
  );

  return (
    <div class="login">
      <LoginBackdrop />
      <main class="login-side">
        <div class="login-theme">
          <ThemeSwitch />
        </div>
        <div class="login-card">
          <p class="brand">
            <Logo /> Carme
          </p>
          {!challenge && (
            <PasswordStep reason={reason} onChallenge={setChallenge} />
          )}
          {challenge?.enrolment ? (
            <EnrolmentStep enrolment={challenge.enrolment}>{code}</EnrolmentStep>
          ) : (
            challenge && (
              <>
                <h1>Second factor</h1>
                <p class="muted">
                  Enter the six digits that your authenticator app shows for
                  Carme.
                </p>
                {code}
              </>
            )
          )}
        </div>
      </main>
    </div>
  );
}
