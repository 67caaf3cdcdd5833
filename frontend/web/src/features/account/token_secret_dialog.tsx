// The new token itself, which no one can show a second time.
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
    <Dialog title={`Your token “${token?.name ?? ""}”`}>
      <p>
        Copy it to where your script finds it, a file that only you can read.{" "}
        <strong>It is not shown again.</strong>
      </p>
      <div class="copy-line">
        <code data-testid="token-secret">{secret}</code>
        <CopyButton text={secret} label="Copy" />
      </div>
      <p class="muted small">Try it in a shell:</p>
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
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
