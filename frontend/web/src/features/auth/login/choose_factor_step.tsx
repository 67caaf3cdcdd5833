// First login: selects the kind of second factor.
import { Icon, type IconName } from "../../../ui/icon";

export function ChooseFactorStep(props: { onPasskey(): void; onTotp(): void }) {
  return (
    <>
      <h1>Set up your second factor</h1>
      <p class="muted">
        Your account needs a second factor. You set it up once and can add more
        later.
      </p>
      <div class="choices">
        <Choice
          icon="key"
          title="Passkey or security key"
          text="Use this computer, your phone or a USB key. No codes to type, and safe against phishing."
          testId="choose-passkey"
          onPress={props.onPasskey}
        />
        <Choice
          icon="phone"
          title="Authenticator app"
          text="Enter a six-digit code from an app on your phone at each login."
          testId="choose-totp"
          onPress={props.onTotp}
        />
      </div>
    </>
  );
}

function Choice(props: {
  icon: IconName;
  title: string;
  text: string;
  testId: string;
  onPress(): void;
}) {
  return (
    <button
      class="choice"
      type="button"
      data-testid={props.testId}
      onClick={props.onPress}
    >
      <Icon name={props.icon} />
      <span>
        <strong>{props.title}</strong>
        <span class="muted small">{props.text}</span>
      </span>
      <Icon name="arrow" />
    </button>
  );
}
