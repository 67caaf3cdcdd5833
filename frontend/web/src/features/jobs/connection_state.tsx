// Shows whether the list receives live updates.
import type { ConnectionState } from "../../api/stream_watcher";
import { messages } from "#messages/jobs";

const kLabels: Record<ConnectionState, string> = {
  connecting: "",
  live: messages.live,
  reconnecting: messages.reconnecting,
  paused: messages.paused,
};

export function ConnectionStatus({ link }: { link: ConnectionState }) {
  return (
    <p
      class="link-state"
      data-testid="link-state"
      data-link={link}
      role="status"
    >
      {kLabels[link] && <span>{kLabels[link]}</span>}
    </p>
  );
}
