// Shows the signing secret of the webhook. It cannot be shown again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { messages } from "./messages";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  const use = messages.webhookSecretUse;
  return (
    <Dialog title={messages.webhookSecret}>
      <p>
        {use.beforeSignature} <code>Carme-Signature</code> {use.beforeTime}{" "}
        <code>Carme-Time</code>, <code>Carme-Delivery</code> {use.afterDelivery}{" "}
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
