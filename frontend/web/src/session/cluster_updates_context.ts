// What the stream of jobs announces of the selected cluster: pages that show the
// cluster load their data again when it has changed.
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface ClusterUpdates {
  readonly live: boolean; // the stream is up
  readonly epoch: string; // changes with the cluster
}

export const ClusterUpdatesContext = createContext<ClusterUpdates>({
  live: false,
  epoch: "",
});

export function useClusterUpdates(): ClusterUpdates {
  return useContext(ClusterUpdatesContext);
}
