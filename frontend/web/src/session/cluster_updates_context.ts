// What the stream of jobs announces of the selected cluster: pages that show the
// cluster load their data again when it has changed.
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Updates {
  readonly live: boolean; // the stream is up
  readonly epoch: string; // changes with what it announces
}

// For pages without a session.
export const kNoUpdates: Updates = { live: false, epoch: "" };

export const ClusterUpdatesContext = createContext<Updates>(kNoUpdates);

export function useClusterUpdates(): Updates {
  return useContext(ClusterUpdatesContext);
}
