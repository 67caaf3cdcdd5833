import { Channel, type ChannelSettings } from "#proto/notification";
import { channelName } from "./notification_labels";
import { messages } from "#messages/notifications";

export function ChannelLine(props: {
  settings: ChannelSettings;
  busy: boolean;
  onTest(): void;
}) {
  const { settings, busy, onTest } = props;
  const { channel, address, problem } = settings;
  return (
    <li class="row" data-testid={`channel-${channel}`}>
      <div class="row-what">
        <p class="row-title">{channelName(channel)}</p>
        <p class="muted small facts-line">
          {address && <span class="mono address">{address}</span>}
          {!address && !problem && <span>{messages.notSet}</span>}
          {problem && (
            <span class="delivery sentence" data-tone="bad">
              {problem}
            </span>
          )}
          {channel === Channel.MAIL && address && (
            <span>{messages.fromTheSitesDirectory}</span>
          )}
        </p>
      </div>
      {address && (
        <button
          class="button button-small"
          type="button"
          data-testid={`channel-test-${channel}`}
          aria-disabled={busy}
          onClick={onTest}
        >
          {messages.sendTest}
        </button>
      )}
    </li>
  );
}
