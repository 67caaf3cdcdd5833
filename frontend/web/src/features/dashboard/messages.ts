// All texts of this feature's pages.
export const messages = {
  areaIsFull: (name: string, usage: string) => `${name} is full: ${usage}.`,
  availableNow: "Available now",
  availableWhenSlurmLastResponded: "Available when Slurm last responded",
  bytesUsed: (size: string) => `${size} used`,
  cpusFree: (free: number, total: number) => `${free} of ${total} CPUs free`,
  dashboardOf: (cluster: string) => `Dashboard of ${cluster}`,
  dashboardOfTheCluster: "Dashboard of the cluster",
  deleteFilesBy: (moment: string, duration: string) =>
    `Delete files by ${moment} (in ${duration}). After that you cannot write to it.`,
  deleteFilesToFreeSpace: "Delete files to free space.",
  filesUsed: (used: string, limit: string) => `${used} of ${limit} files`,
  freeOnOneNode: (gpus: number) => `Up to ${gpus} free on one node`,
  full: "full",
  gpusDown: (gpus: number) => `${gpus} down`,
  gracePeriodHasEnded:
    "The grace period has ended: you cannot write to it until you delete files.",
  jobsInUse: (jobs: number, limit: number) =>
    limit === 1 ? `${jobs} of 1 job in use` : `${jobs} of ${limit} jobs in use`,
  lastResponse: (ago: string) => `Last response ${ago}.`,
  nearlyFull: "nearly full",
  noUserCanWrite: "No user can write to it until files are deleted.",
  nodesAndQueue: "Nodes and queue",
  notUpToDate: (reason: string) => `Not up to date: ${reason}`,
  ofTotalFree: (total: number) => `of ${total} free`,
  onOneNode: (gpus: number) => `Up to ${gpus} on one node`,
  partition: (name: string) => `Partition ${name}`,
  runningJobsContinue:
    "Running jobs continue and can be opened. You cannot start new jobs, and this page may be out of date until Slurm responds.",
  selectInTheStartForm: (gpuType: string) =>
    `Select ${gpuType} in the start form`,
  sharedByAllUsers: "shared by all users",
  slurmHasNotRespondedYet: "Slurm has not responded yet.",
  slurmIsNotResponding: (since: string) =>
    `Slurm is not responding (since ${since}).`,
  storage: "Storage",
  thisClusterHasNoGpus: "This cluster has no GPUs.",
  use: "Use",
  youCannotWrite: "You cannot write to it until you delete files.",
} as const;
