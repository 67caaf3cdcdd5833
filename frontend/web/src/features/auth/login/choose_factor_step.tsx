// First login: selects the kind of second factor.
import { Icon, type IconName } from "../../../ui/icon";
import { messages } from "#messages/auth";

export function ChooseFactorStep(props: { onPasskey(): void; onTotp(): void }) {
  return (
    <>
      <h1>{messages.setUpYourSecondFactor}</h1>
      <p class="muted">{messages.yourAccountNeedsASecond}</p>
      <div class="choices">
        <Choice
          icon="key"
          title={messages.passkeyOrSecurityKey}
          text={messages.useThisComputerYourPhone}
          testId="choose-passkey"
          onPress={props.onPasskey}
        />
        <Choice
          icon="phone"
          title={messages.authenticatorApp}
          text={messages.enterASixDigitCode}
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
