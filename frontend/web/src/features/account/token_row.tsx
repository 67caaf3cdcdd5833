import type { AccessToken } from "#proto/account";
import { formatDay, msOf } from "../../lib/format/moment";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { LastUsed } from "./last_used";
import { messages } from "#messages/account";

const kSoonMs = 7 * 24 * 60 * 60_000;

export function TokenRow(props: {
  token: AccessToken;
  onRevoke?(): void; // absent: read-only
}) {
  const { token, onRevoke } = props;
  const { name, scopes, usedFrom } = token;
  return (
    <li class="row" data-testid="token-row">
      <Icon name="code" />
      <div class="row-what">
        <p class="row-title">{name}</p>
        <ul class="tags">
          {scopes.map((scope) => (
            <li key={scope} class="tag mono">
              {scope}
            </li>
          ))}
        </ul>
        <p class="muted small facts-line">
          <span data-soon={endsSoon(token)}>
            {messages.expires}{" "}
            <Moment at={token.expiresAt} format={formatDay} />
          </span>
          <span>
            {messages.created}{" "}
            <Moment at={token.createdAt} format={formatDay} />
          </span>
          <LastUsed at={token.usedAt} from={usedFrom} />
          {token.addresses.length > 0 && (
            <span data-testid="token-addresses">
              {messages.onlyFrom({ addresses: token.addresses.join(", ") })}
            </span>
          )}
        </p>
      </div>
      {onRevoke && (
        <button
          class="button button-small"
          type="button"
          data-testid="token-revoke"
          onClick={onRevoke}
        >
          {messages.revoke} <span class="sr-only">{name}</span>
        </button>
      )}
    </li>
  );
}

function endsSoon({ expiresAt }: AccessToken): boolean {
  const end = msOf(expiresAt);
  return end !== undefined && end - Date.now() < kSoonMs;
}
