import type { SessionEntry } from "#proto/account";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { LastUsed } from "./last_used";
import { filledMessage } from "../../lib/language/filled_message";
import { messages } from "#messages/account";

export function SessionRow(props: {
  session: SessionEntry;
  busy?: boolean;
  onEnd?(): void; // absent: read-only
}) {
  const { session, busy, onEnd } = props;
  const { current, device, address, lastAddress } = session;
  return (
    <li class="row" data-testid="session-row" data-own={!!onEnd && current}>
      <Icon name="laptop" />
      <div class="row-what">
        <p class="row-title">
          {device || messages.unknownDevice}{" "}
          {current && onEnd && (
            <span class="tag tag-good">{messages.thisSession}</span>
          )}
        </p>
        <p class="muted small facts-line">
          <span>
            {filledMessage(messages.loggedInAtFrom, {
              moment: <Moment at={session.createdAt} />,
              address: (
                <span class="mono">{address || messages.unknownAddress}</span>
              ),
            })}
          </span>
          <LastUsed
            at={session.usedAt}
            from={lastAddress === address ? "" : lastAddress}
          />
          <span>
            {messages.ends} <Moment at={session.expiresAt} />
          </span>
        </p>
      </div>
      {onEnd && !current && (
        <button
          class="button button-small"
          type="button"
          data-testid="session-end"
          aria-disabled={busy}
          onClick={onEnd}
        >
          {messages.end}{" "}
          <span class="sr-only">{messages.theSessionOf({ device })}</span>
        </button>
      )}
    </li>
  );
}
