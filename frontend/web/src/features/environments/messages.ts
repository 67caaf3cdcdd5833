// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  anEnvironmentDefinesTheImage:
    "An environment defines the image, mounts, working directory and variables of a job.",
  changed: "changed",
  copy: "Copy",
  deleteLabel: "Delete",
  discardChanges: "Discard changes",
  environments: "Environments",
  environmentsAreNotAvailableOn:
    "Environments are not available on this cluster. Jobs run in images.",
  extend: "Extend",
  name: "Name",
  newEnvironment: "New environment",
  runningJobsAreNotAffected: "Running jobs are not affected.",
  save: "Save",
  saving: "Saving…",
  siteEnvironment: "site environment",
  siteEnvironments: "Site environments",
  startJob: "Start job",
  theNewEnvironment: "the new environment",
  validResolvedConfiguration: "Valid. Resolved configuration:",
} as const;
