// What the stream of jobs announces of the selected cluster: pages load their
// data again when it has changed, and do not ask at intervals.
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Updates {
  // The stream is up and announces changes of this kind.
  readonly live: boolean;
  readonly epoch: string; // changes with what it announces
}

// For pages without a session.
export const kNoUpdates: Updates = { live: false, epoch: "" };

export interface StreamUpdates {
  readonly cluster: Updates;
  readonly health: Updates; // for support and administrators
  readonly images: Updates;
}

export const StreamUpdatesContext = createContext<StreamUpdates>({
  cluster: kNoUpdates,
  health: kNoUpdates,
  images: kNoUpdates,
});

export function useStreamUpdates(): StreamUpdates {
  return useContext(StreamUpdatesContext);
}

// `version` of the stream's newest message; 0: the backend does not announce it.
export function updatesOf(live: boolean, version: bigint): Updates {
  if (version === 0n) return kNoUpdates;
  return { live, epoch: String(version) };
}
