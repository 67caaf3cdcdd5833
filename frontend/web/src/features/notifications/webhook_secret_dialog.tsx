// Shows the signing secret of the webhook. It cannot be shown again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { messages } from "./messages";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  return (
    <Dialog title={messages.webhookSecret}>
      <p>
        Each call has a header <code>{messages.carmeSignature}</code>: “v1=” and
        the HMAC-SHA256 by this secret of the headers{" "}
        <code>{messages.carmeTime}</code> and{" "}
        <code>{messages.carmeDelivery}</code> and the body, with dots between.{" "}
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
