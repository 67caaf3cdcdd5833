// Enrols an authenticator app: the secret as a QR code and to be typed, then
// the first code.
import type { ComponentChildren } from "preact";
import type { TotpEnrolment } from "#proto/auth";
import { CopyButton } from "../../../ui/copy_button";
import { secretGroups } from "./code";
import { QrCode } from "./qr_code";

export function TotpSteps(props: {
  enrolment: TotpEnrolment;
  children: ComponentChildren; // the code's own form
}) {
  const { secret, otpauthUri } = props.enrolment;
  return (
    <ol class="steps">
      <li>
        <p>Scan this with an authenticator app on your phone.</p>
        <QrCode text={otpauthUri} />
        <p class="muted small">No camera? Type this key into the app:</p>
        <div class="secret">
          <code data-testid="enrol-secret">
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
  );
}
