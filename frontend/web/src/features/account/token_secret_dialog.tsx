// Shows a new token. The token cannot be shown again.
import type { CreateTokenResponse } from "#proto/account";
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { curlLine } from "./curl_line";
import { messages } from "#messages/account";

export function TokenSecretDialog(props: {
  created: CreateTokenResponse;
  close(): void;
}) {
  const { token, secret } = props.created;
  const line = curlLine(location.origin, token?.scopes ?? [], secret);
  return (
    <Dialog title={messages.token({ name: token?.name ?? "" })}>
      <p>
        {messages.copyTheTokenToAFile}{" "}
        <strong>{messages.youCannotSeeItAgain}</strong>
      </p>
      <div class="copy-line">
        <code data-testid="token-secret">{secret}</code>
        <CopyButton text={secret} label={messages.copy} />
      </div>
      <p class="muted small">{messages.tryIt}</p>
      <div class="copy-line">
        <pre data-testid="token-curl" tabIndex={0}>
          {line}
        </pre>
        <CopyButton text={line} label={messages.copy} />
      </div>
      <div class="dialog-actions">
        <button
          class="button button-primary"
          type="button"
          data-testid="token-done"
          onClick={props.close}
        >
          {messages.done}
        </button>
      </div>
    </Dialog>
  );
}
