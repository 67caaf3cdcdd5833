// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  availableNow: "Available now",
  availableWhenSlurmLastResponded: "Available when Slurm last responded",
  nearlyFull: "nearly full",
  nodesAndQueue: "Nodes and queue",
  sharedByAllUsers: "shared by all users",
  slurmHasNotRespondedYet: "Slurm has not responded yet.",
  storage: "Storage",
  theCluster: "the cluster",
  thisClusterHasNoGpus: "This cluster has no GPUs.",
  use: "Use",
} as const;
