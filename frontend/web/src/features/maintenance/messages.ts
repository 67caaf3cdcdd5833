// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  about:
    "No new jobs; running jobs and open apps continue. Everyone sees the message and the times, also on the login page. Administrators can start jobs to test.",
  allNodes: "Leave both empty for all nodes of the cluster.",
  announceOrStart: "Announce or start maintenance",
  autoEnd: "Accept jobs again at the expected end",
  autoEndHint: "Otherwise jobs stay refused until you end the maintenance.",
  change: "Change maintenance",
  current: "Current maintenance",
  end: "End maintenance",
  endDay: "Expected end",
  ended: "Maintenance has ended. Users can start jobs again.",
  endMaintenance: "End maintenance…",
  endText:
    "Users can start jobs again, and the reservation in Slurm is deleted.",
  from: "From",
  message: "Message to users",
  messagePlaceholder: "New storage",
  none: "No maintenance is announced.",
  nodes: "Only these nodes",
  nodesHint: "Such as gpu[01-08].",
  onlyAdministrators: "Only administrators can announce or end maintenance.",
  partition: "Only this partition",
  reservation: "Reserve the nodes in Slurm",
  reservationHint:
    "Then no pending job starts either, and no job whose time limit reaches into the maintenance.",
  save: "Save",
  saved: "Maintenance saved.",
  saving: "Saving…",
  setBy: "Set by",
  startNow: "Leave empty to start now.",
  time: "Time",
  title: "Maintenance",
} as const;
