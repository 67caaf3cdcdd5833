// The secret that a webhook's calls are signed with; no one can show it again.
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";

export function WebhookSecretDialog(props: { secret: string; close(): void }) {
  const { secret, close } = props;
  return (
    <Dialog title="The secret of your webhook">
      <p>
        Each call has a header <code>Carme-Signature</code>: “v1=” and the
        HMAC-SHA256 by this secret of the headers <code>Carme-Time</code> and{" "}
        <code>Carme-Delivery</code> and the body, with dots between.{" "}
        <strong>It is not shown again.</strong>
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
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
