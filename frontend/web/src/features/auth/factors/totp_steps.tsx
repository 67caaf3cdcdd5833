// Enrolls an authenticator app: shows the secret as QR code and text, then asks
// for the first code.
import type { ComponentChildren } from "preact";
import type { TotpEnrolment } from "#proto/auth";
import { CopyButton } from "../../../ui/copy_button";
import { secretGroups } from "./code";
import { QrCode } from "./qr_code";

export function TotpSteps(props: {
  enrolment: TotpEnrolment;
  children: ComponentChildren; // the form for the code
}) {
  const { secret, otpauthUri } = props.enrolment;
  return (
    <ol class="steps">
      <li>
        <p>Scan this code with an authenticator app on your phone.</p>
        <QrCode text={otpauthUri} />
        <p class="muted small">Without a camera, enter this key in the app:</p>
        <div class="secret">
          <code data-testid="enrol-secret">
            {secretGroups(secret).map((group, index) => (
              <span key={index}>{group}</span>
            ))}
          </code>
          <CopyButton text={secret} label="Copy key" />
        </div>
      </li>
      <li>
        <p>Enter the six-digit code from the app.</p>
        {props.children}
      </li>
    </ol>
  );
}
