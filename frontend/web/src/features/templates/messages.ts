// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  assignToProject: "Assign to project",
  cancel: "Cancel",
  change: "Change",
  close: "Close",
  createTemplate: "Create template",
  exists: "exists",
  importFromSlurm: "Import from Slurm",
  itsUsersCanStartJobs: "Its users can start jobs with it again.",
  jobTemplates: "Job templates",
  jobsWithoutGpus: "Jobs without GPUs",
  newJobsCannotUseIt:
    "New jobs cannot use it; running jobs continue. Users without another template cannot start jobs until you remove this template from them or assign another one.",
  newTemplate: "New template",
  noTemplatesRoleLimitsApply: "No templates. Role limits apply.",
  onceTheyHaveATemplate:
    "Once they have a template, they can start jobs only with templates.",
  oneForEachPartitionAnd:
    "One for each partition and GPU type of the nodes with the Carme feature. You review each template before it is created.",
  project: "Project",
  projects: "Projects",
  reactivate: "Reactivate",
  reactivateTemplate: "Reactivate template?",
  remove: "Remove",
  retire: "Retire…",
  retireLabel: "Retire",
  retireTemplate: "Retire template?",
  review: "Review",
  save: "Save",
  saving: "Saving…",
  selectProject: "Select project…",
  slurmHasNoNodesFor: "Slurm has no nodes for Carme jobs.",
  suggestionsFromSlurm: "Suggestions from Slurm",
  templates: "Templates",
  templatesRestrictWhatAProject:
    "Templates restrict what a project can request, in addition to roles, quotas and Slurm. A project with templates can start jobs only with them.",
} as const;
