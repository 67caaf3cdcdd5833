// First log-in: the account gets its second factor now.
import type { ComponentChildren } from "preact";
import type { TotpEnrolment } from "#proto/auth";
import { secretGroups } from "./code";
import { CopyButton } from "../ui/copy_button";
import { QrCode } from "./qr_code";

export function EnrolmentStep(props: {
  enrolment: TotpEnrolment;
  children: ComponentChildren; // the code's own form
}) {
  const { secret, otpauthUri } = props.enrolment;
  return (
    <>
      <h1>Set up your second factor</h1>
      <p class="muted">
        This account has none yet. It takes a minute, and only the first time.
      </p>
      <ol class="steps">
        <li>
          <p>Scan this with an authenticator app on your phone.</p>
          <QrCode text={otpauthUri} />
          <p class="muted small">No camera? Type this key into the app:</p>
          <div class="secret">
            <code data-test="enrol-secret">
              {secretGroups(secret).map((group, index) => (
                <span key={index}>{group}</span>
              ))}
            </code>
            <CopyButton text={secret} label="Copy the key" />
          </div>
        </li>
        <li>
          <p>Enter the six digits that the app shows now.</p>
          {props.children}
        </li>
      </ol>
    </>
  );
}
