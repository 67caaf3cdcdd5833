// Shows the signing secret of the webhook. It cannot be shown again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { messages } from "./messages";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  return (
    <Dialog title={messages.webhookSecret}>
      <p>
        The header <code>Carme-Signature</code> of each call has “v1=” and the
        HMAC-SHA256 of <code>Carme-Time</code>, <code>Carme-Delivery</code> and
        the body, joined by dots, with this secret as key.{" "}
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
