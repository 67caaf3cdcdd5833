// Shows the signing secret of the webhook. It cannot be shown again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { filledMessage } from "../../lib/language/filled_message";
import { messages } from "#messages/notifications";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  return (
    <Dialog title={messages.webhookSecret}>
      <p>
        {filledMessage(messages.webhookSecretUse, {
          signature: <code>Carme-Signature</code>,
          time: <code>Carme-Time</code>,
          delivery: <code>Carme-Delivery</code>,
        })}{" "}
        <strong>{messages.youCannotSeeItAgain}</strong>
      </p>
      <div class="copy-line">
        <code data-testid="webhook-secret">{secret}</code>
        <CopyButton text={secret} label={messages.copy} />
      </div>
      <div class="dialog-actions">
        <button
          class="button button-primary"
          type="button"
          data-testid="webhook-done"
          onClick={close}
        >
          {messages.done}
        </button>
      </div>
    </Dialog>
  );
}
