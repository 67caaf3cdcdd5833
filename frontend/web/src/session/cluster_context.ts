// The cluster that the pages show, for all components.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { JobSpec } from "#proto/jobs";

export interface ClusterHandle {
  readonly names: readonly string[]; // empty: there is one cluster
  readonly selected: string;
  // Opens the pages of another cluster, with the start form filled in.
  select(name: string, spec?: JobSpec): void;
}

export const ClusterContext = createContext<ClusterHandle>({
  names: [],
  selected: "",
  select: () => undefined,
});

export function useClusterChoice(): ClusterHandle {
  return useContext(ClusterContext);
}
