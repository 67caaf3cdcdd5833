// First log-in: which kind of second factor it shall be.
import { Icon, type IconName } from "../../../ui/icon";

export function ChooseFactorStep(props: { onPasskey(): void; onTotp(): void }) {
  return (
    <>
      <h1>Set up your second factor</h1>
      <p class="muted">
        This account has none yet. It takes a minute, and only the first time.
        You can add others later.
      </p>
      <div class="choices">
        <Choice
          icon="key"
          title="Passkey or security key"
          text="This computer, your phone, or a key you plug in. Nothing to type, and nothing a false page could ask for."
          testId="choose-passkey"
          onPress={props.onPasskey}
        />
        <Choice
          icon="phone"
          title="Authenticator app"
          text="Six digits that an app on your phone shows at each log-in."
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
