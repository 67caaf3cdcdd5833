// All texts of this feature's pages.
export const messages = {
  aProject: "a project",
  active: "active, you have access",
  allMembersOf: (project: string) => `All members of ${project}`,
  beingCancelled: "being cancelled",
  byOwner: (name: string) => `by ${name}`,
  calendar: "Calendar",
  cancel: "Cancel",
  cancelLabel: "Cancel…",
  cancelReservation: "Cancel reservation",
  cancelTitle: (title: string) => `Cancel "${title}"?`,
  cancelled: (title: string) => `"${title}" cancelled.`,
  cancelling: (title: string) => `"${title}" is being cancelled.`,
  day: "Day",
  duration: "Duration",
  enterADateAndTime: "Enter a date and time",
  enterATitle: "Enter a title",
  forProject: (name: string) => `for ${name}`,
  forWhom: "Reserve for",
  freeNodes: (free: number, all: number) =>
    `${free} of ${all} nodes are in no other reservation then.`,
  from: "From",
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  fromWithoutEnd: (from: string) => `${from}, no end`,
  inPartition: (name: string) => `partition ${name}`,
  invalidDuration: (text: string) =>
    `Invalid duration "${text}". Enter a time such as 90 min or 2 h.`,
  invalidNodes: (text: string) => `Invalid number of nodes "${text}"`,
  limitsOfProject: (
    nodes: number,
    time: string,
    days: number,
    ofUser: number,
    ofProject: number,
  ) =>
    nodes === 1
      ? `At most 1 node, ${time}, ${days} days ahead, and ${ofUser} for you and ${ofProject} for the project at once.`
      : `At most ${nodes} nodes, ${time}, ${days} days ahead, and ${ofUser} for you and ${ofProject} for the project at once.`,
  limitsOfUser: (nodes: number, time: string, days: number, ofUser: number) =>
    nodes === 1
      ? `At most 1 node, ${time}, ${days} days ahead, and ${ofUser} for you at once.`
      : `At most ${nodes} nodes, ${time}, ${days} days ahead, and ${ofUser} for you at once.`,
  machineLearningExercise3: "Machine learning, exercise 3",
  maintenance: "Maintenance",
  myself: "Myself",
  nextWeek: "Next week",
  noJobsAllowed: "no jobs allowed",
  noReservations: "No reservations.",
  nodeCount: (count: number) => (count === 1 ? "1 node" : `${count} nodes`),
  nodes: "Nodes",
  nodesNamed: (count: number, names: string) =>
    count === 1 ? `1 node: ${names}` : `${count} nodes: ${names}`,
  over: "over",
  partition: "Partition",
  pendingInSlurm: "pending in Slurm",
  previousWeek: "Previous week",
  reservations: "Reservations",
  reserve: "Reserve",
  reserveNodes: "Reserve nodes",
  reserveNodesForAClass:
    "Reserve nodes for a class or a deadline. Times are in your time zone.",
  reserved: "reserved",
  reservedNodes: "Reserved nodes",
  saving: "Saving…",
  slurmChoosesTheNodes: "Slurm chooses the nodes.",
  startNow: "Start now",
  theNodesBecomeAvailableTo:
    "The nodes become available to all users. Jobs that wait for the reservation stay pending. A reservation with running jobs cannot be cancelled.",
  thisWeek: "This week",
  title: "Title",
  titleReserved: (title: string) => `"${title}" reserved.`,
  userCount: (count: number) => (count === 1 ? "1 user" : `${count} users`),
  weekFromTo: (from: string, to: string, year: number) =>
    `${from} to ${to} ${year}`,
  youHaveAccess: "you have access",
} as const;
