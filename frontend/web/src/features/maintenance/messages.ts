// All texts of this feature's pages.
export const messages = {
  about:
    "No new jobs; running jobs and open apps continue. Everyone sees the message and the times, also on the login page. Administrators can start jobs to test.",
  allNodes: "Leave both empty for all nodes of the cluster.",
  announced: (start: string, end: string) =>
    `Maintenance from ${start} to ${end}.`,
  announceOrStart: "Announce or start maintenance",
  autoEnd: "Accept jobs again at the expected end",
  autoEndHint: "Otherwise jobs stay refused until you end the maintenance.",
  change: "Change maintenance",
  current: "Current maintenance",
  effectAnnounced:
    "No new jobs can be started during this time. Running jobs continue.",
  effectForAdministrators:
    "Only administrators can start new jobs. Running jobs and open apps continue.",
  effectForUsers:
    "You cannot start new jobs. Running jobs and open apps continue.",
  end: "End maintenance",
  endDay: "Expected end",
  ended: "Maintenance has ended. Users can start jobs again.",
  endMaintenance: "End maintenance…",
  endText:
    "Users can start jobs again, and the reservation in Slurm is deleted.",
  enterAMessage: "Enter a message to users.",
  enterTheEnd: "Enter the day and time of the expected end.",
  enterTheStart: "Enter the day and time of the start, or neither.",
  expectedUntil: (end: string) => `Maintenance, expected until ${end}.`,
  from: "From",
  message: "Message to users",
  messagePlaceholder: "New storage",
  nodes: "Only these nodes",
  nodesHint: "Such as gpu[01-08].",
  none: "No maintenance is announced.",
  onlyAdministrators: "Only administrators can announce or end maintenance.",
  partition: "Only this partition",
  remainingReservation: (name: string) =>
    `Slurm still has reservation ${name}; Carme tries again to delete it.`,
  reservation: "Reserve the nodes in Slurm",
  reservationHint:
    "Then no pending job starts either, and no job whose time limit reaches into the maintenance.",
  reservationOnAllNodes: (name: string) => `Reservation ${name} on all nodes`,
  reservationOnNodes: (name: string, nodes: string) =>
    `Reservation ${name} on ${nodes}`,
  reservationOnPartition: (name: string, partition: string) =>
    `Reservation ${name} on partition ${partition}`,
  save: "Save",
  saved: "Maintenance saved.",
  saving: "Saving…",
  setBy: (name: string) => `Set by ${name}`,
  startNow: "Leave empty to start now.",
  takingLonger: (end: string) =>
    `Maintenance is taking longer than expected (until ${end}).`,
  time: "Time",
  title: "Maintenance",
} as const;
