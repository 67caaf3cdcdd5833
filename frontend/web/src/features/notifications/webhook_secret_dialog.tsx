// Shows the signing secret of the webhook. It cannot be shown again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  return (
    <Dialog title="Webhook secret">
      <p>
        Each call has a header <code>Carme-Signature</code>: “v1=” and the
        HMAC-SHA256 by this secret of the headers <code>Carme-Time</code> and{" "}
        <code>Carme-Delivery</code> and the body, with dots between.{" "}
        <strong>You cannot see it again.</strong>
      </p>
      <div class="copy-line">
        <code data-testid="webhook-secret">{secret}</code>
        <CopyButton text={secret} label="Copy" />
      </div>
      <div class="dialog-actions">
        <button
          class="button button-primary"
          type="button"
          data-testid="webhook-done"
          onClick={close}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}
