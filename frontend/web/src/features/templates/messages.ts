// All texts of this feature's pages.
export const messages = {
  active: "active",
  allUsersWithoutAProject: "All users without a project",
  anyOf: (names: readonly string[]) => names.join(" or "),
  assignToProject: "Assign to project",
  cancel: "Cancel",
  change: "Change",
  close: "Close",
  cpusPerGpu: "CPUs per GPU",
  createTemplate: "Create template",
  description: "Description",
  exists: "exists",
  forProjects: (count: number) =>
    count === 1 ? "for 1 project" : `for ${count} projects`,
  forUsersAndProjects: (count: number) =>
    count === 1
      ? "for all users without a project and 1 project"
      : `for all users without a project and ${count} projects`,
  forUsersWithoutAProject: "for all users without a project",
  fromProject: (name: string) => `from ${name}`,
  gpuTypes: "GPU types",
  idleWarningAfter: "Idle warning after",
  imageIdsSeparatedByCommas:
    "Image IDs separated by commas. Leave empty for any.",
  images: "Images",
  importFromSlurm: "Import from Slurm",
  inReservation: (name: string) => `in reservation ${name}`,
  invalidIdleTime: (text: string) =>
    `Invalid value "${text}". Enter a time such as 30 min or 90 s.`,
  invalidMemory: (text: string) =>
    `Invalid value "${text}". Enter an amount such as 64 GiB.`,
  invalidNumber: (text: string) =>
    `Invalid value "${text}". Enter a whole number.`,
  invalidTime: (text: string) =>
    `Invalid value "${text}". Enter a time such as 45 min or 2 h.`,
  itsUsersCanStartJobs: "Its users can start jobs with it again.",
  jobTemplates: "Job templates",
  jobsAtOnce: (count: number) =>
    count === 1 ? "1 job at once" : `${count} jobs at once`,
  jobsWithoutGpus: "Jobs without GPUs",
  leaveEmptyForAny: "Leave empty for any",
  leaveEmptyForTheAccount: "Leave empty for the account of the project or user",
  leaveEmptyForTheMaximum: "Leave empty for the maximum walltime",
  leaveEmptyForTheSite: "Leave empty for the site default",
  leaveEmptyForTheUsers: "Leave empty for the user’s default",
  leaveEmptyForUnlimitedAlso: "Leave empty for unlimited, also below",
  maximumCpus: (count: number) =>
    count === 1 ? "1 CPU per GPU" : `${count} CPUs per GPU`,
  maximumGpus: (count: number) =>
    count === 1 ? "at most 1 GPU per node" : `at most ${count} GPUs per node`,
  maximumGpusOfTypes: (count: number, types: string) =>
    count === 1
      ? `at most 1 ${types} GPU per node`
      : `at most ${count} ${types} GPUs per node`,
  maximumGpusPerNode: "Maximum GPUs per node",
  maximumJobsPerUserAt: "Maximum jobs per user at once",
  maximumMemory: (amount: string) => `${amount} per GPU`,
  maximumNodes: (count: number) =>
    count === 1 ? "at most 1 node" : `at most ${count} nodes`,
  maximumNodesPerJob: "Maximum nodes per job",
  maximumTime: (time: string) => `at most ${time}`,
  maximumTimeWithExtensions: (time: string) => `extended to ${time}`,
  maximumWalltime: "Maximum walltime",
  maximumWithExtensions: "Maximum with extensions",
  memoryPerGpu: "Memory per GPU",
  name: "Name",
  newJobsCannotUseIt:
    "New jobs cannot use it; running jobs continue. Users without another template cannot start jobs until you remove this template from them or assign another one.",
  newTemplate: "New template",
  noGpus: "no GPUs",
  noLimits: "no limits",
  noTemplatesRoleLimitsApply: "No templates. Role limits apply.",
  notAssigned: "not assigned",
  onceTheyHaveATemplate:
    "Once they have a template, they can start jobs only with templates.",
  oneForEachPartitionAnd:
    "One for each partition and GPU type of the nodes with the Carme feature. You review each template before it is created.",
  onlyAccount: (name: string) => `account ${name}`,
  onlyGpuTypes: (types: string) => `GPUs ${types}`,
  onlyImages: (names: string) => `only ${names}`,
  onlyPartition: (name: string) => `partition ${name}`,
  onlyQos: (name: string) => `QOS ${name}`,
  partition: "Partition",
  project: "Project",
  projects: "Projects",
  reactivate: "Reactivate",
  reactivateTemplate: "Reactivate template?",
  remove: "Remove",
  retire: "Retire…",
  retireLabel: "Retire",
  retireTemplate: "Retire template?",
  retired: "retired",
  review: "Review",
  save: "Save",
  saving: "Saving…",
  selectProject: "Select project…",
  separatedByCommasDefaultFirst:
    "Separated by commas, default first. Leave empty for any.",
  slurmAccount: "Slurm account",
  slurmHasNoNodesFor: "Slurm has no nodes for Carme jobs.",
  slurmQos: "Slurm QOS",
  slurmReservation: "Slurm reservation",
  stopAfterFurther: "Stop after further",
  stoppedAfterInactivity: (time: string) =>
    `stopped after ${time} of inactivity`,
  suchAs45MinOr: "Such as 45 min or 2 h",
  suchAs64Gib: "Such as 64 GiB",
  suggestionsFromSlurm: "Suggestions from Slurm",
  templateAssigned: (template: string, project: string) =>
    `Template ${template} assigned to ${project}.`,
  templateAssignedToAll: (template: string) =>
    `Template ${template} assigned to All users without a project.`,
  templateCreated: (name: string) => `Template ${name} created.`,
  templateReactivated: (name: string) => `Template ${name} reactivated.`,
  templateRemoved: (template: string, project: string) =>
    `Template ${template} removed from ${project}.`,
  templateRemovedFromAll: (template: string) =>
    `Template ${template} removed from All users without a project.`,
  templateRetired: (name: string) => `Template ${name} retired.`,
  templateSaved: (name: string) => `Template ${name} saved.`,
  templates: "Templates",
  templatesRestrictWhatAProject:
    "Templates restrict what a project can request, in addition to roles, quotas and Slurm. A project with templates can start jobs only with them.",
  usedByAllItsJobs: "Used by all its jobs. Leave empty for none.",
} as const;
