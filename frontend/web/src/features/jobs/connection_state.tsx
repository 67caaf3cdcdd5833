// A small word on whether the list is moving by itself right now.
import type { Link } from "./jobs_watcher";

const kWords: Record<Link, string> = {
  connecting: "",
  live: "Live",
  reconnecting: "Reconnecting…",
  paused: "Paused",
};

export function LinkState({ link }: { link: Link }) {
  return (
    <p class="link-state" data-test="link-state" data-link={link} role="status">
      {kWords[link] && <span>{kWords[link]}</span>}
    </p>
  );
}
