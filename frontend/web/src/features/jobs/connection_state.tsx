// Shows whether the list receives live updates.
import type { ConnectionState } from "./jobs_watcher";

const kLabels: Record<ConnectionState, string> = {
  connecting: "",
  live: "Live",
  reconnecting: "Reconnecting…",
  paused: "Paused",
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
