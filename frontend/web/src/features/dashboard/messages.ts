// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  nodesAndQueue: "Nodes and queue",
  slurmHasNotRespondedYet: "Slurm has not responded yet.",
  storage: "Storage",
  thisClusterHasNoGpus: "This cluster has no GPUs.",
  use: "Use",
} as const;
