// The connections to the clusters, as one state and a list of those that are
// away.
import type { ConnectionState } from "../../api/stream_watcher";

export type Links = Readonly<Record<string, ConnectionState>>; // by cluster

export const kAwayAfterMs = 3000;

// Live while any cluster is; otherwise the state of the first one.
export function linkOf(links: Links): ConnectionState {
  const states = Object.values(links);
  return states.includes("live") ? "live" : (states[0] ?? "connecting");
}

// Clusters without a connection while another one has one. If none has one, the
// portal itself cannot be reached, which the connection state shows.
export function awayClusters(links: Links): readonly string[] {
  if (linkOf(links) !== "live") return [];
  return Object.keys(links).filter((name) => links[name] === "reconnecting");
}
