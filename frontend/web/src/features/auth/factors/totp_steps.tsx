// Enrolls an authenticator app: shows the secret as QR code and text, then asks
// for the first code.
import type { ComponentChildren } from "preact";
import type { TotpEnrolment } from "#proto/auth";
import { CopyButton } from "../../../ui/copy_button";
import { secretGroups } from "./code";
import { QrCode } from "./qr_code";
import { messages } from "#messages/auth";

export function TotpSteps(props: {
  enrolment: TotpEnrolment;
  children: ComponentChildren; // the form for the code
}) {
  const { secret, otpauthUri } = props.enrolment;
  return (
    <ol class="steps">
      <li>
        <p>{messages.scanThisCodeWithAn}</p>
        <QrCode text={otpauthUri} />
        <p class="muted small">{messages.withoutACameraEnterThis}</p>
        <div class="secret">
          <code data-testid="enrol-secret">
            {secretGroups(secret).map((group, index) => (
              <span key={index}>{group}</span>
            ))}
          </code>
          <CopyButton text={secret} label={messages.copyKey} />
        </div>
      </li>
      <li>
        <p>{messages.enterTheSixDigitCode}</p>
        {props.children}
      </li>
    </ol>
  );
}
