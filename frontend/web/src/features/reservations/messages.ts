// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  aProject: "a project",
  calendar: "Calendar",
  cancel: "Cancel",
  cancelLabel: "Cancel…",
  cancelReservation: "Cancel reservation",
  day: "Day",
  duration: "Duration",
  forWhom: "Reserve for",
  from: "From",
  machineLearningExercise3: "Machine learning, exercise 3",
  myself: "Myself",
  nextWeek: "Next week",
  noReservations: "No reservations.",
  nodes: "Nodes",
  partition: "Partition",
  previousWeek: "Previous week",
  reservations: "Reservations",
  reserve: "Reserve",
  reserveNodes: "Reserve nodes",
  reserveNodesForAClass:
    "Reserve nodes for a class or a deadline. Times are in your time zone.",
  reservedNodes: "Reserved nodes",
  saving: "Saving…",
  startNow: "Start now",
  theNodesBecomeAvailableTo:
    "The nodes become available to all users. Jobs that wait for the reservation stay pending. A reservation with running jobs cannot be cancelled.",
  thisWeek: "This week",
  title: "Title",
} as const;
