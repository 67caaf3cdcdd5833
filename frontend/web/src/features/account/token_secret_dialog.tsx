// Shows a new token. The token cannot be shown again.
import type { CreateTokenResponse } from "#proto/account";
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { curlLine } from "./curl_line";

export function TokenSecretDialog(props: {
  created: CreateTokenResponse;
  close(): void;
}) {
  const { token, secret } = props.created;
  const line = curlLine(location.origin, token?.scopes ?? [], secret);
  return (
    <Dialog title={`Token “${token?.name ?? ""}”`}>
      <p>
        Copy the token to a file that only you can read.{" "}
        <strong>You cannot see it again.</strong>
      </p>
      <div class="copy-line">
        <code data-testid="token-secret">{secret}</code>
        <CopyButton text={secret} label="Copy" />
      </div>
      <p class="muted small">Try it:</p>
      <div class="copy-line">
        <pre data-testid="token-curl" tabIndex={0}>
          {line}
        </pre>
        <CopyButton text={line} label="Copy" />
      </div>
      <div class="dialog-actions">
        <button
          class="button button-primary"
          type="button"
          data-testid="token-done"
          onClick={props.close}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}
