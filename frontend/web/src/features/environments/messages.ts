// All texts of this feature's pages.
export const messages = {
  anEnvironmentDefinesTheImage:
    "An environment defines the image, mounts, working directory and variables of a job.",
  basedOn: (name: string) => `New environment based on “${name}”.`,
  changed: "changed",
  copy: "Copy",
  deleteLabel: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleted: (name: string) => `Environment “${name}” deleted.`,
  discardChanges: "Discard changes",
  environments: "Environments",
  environmentsAreNotAvailableOn:
    "Environments are not available on this cluster. Jobs run in images.",
  errorNumber: (digits: string) => `Error ${digits}`,
  extend: "Extend",
  fileAndLine: (file: string, line: number) => `${file}, line ${line}`,
  fileFormat: {
    beforeCommand:
      "It is an environment definition file (EDF) in TOML. The same text works with ",
    beforeSetting: ". To extend another environment, set ",
    end: ".",
  },
  hintOnImage: "What a job runs in: an image, and what it sees of the cluster.",
  hintOnMounts:
    'Folders of the cluster: "SOURCE:DESTINATION", ":ro" to read only.',
  hintOnWorkdir: "Where commands start.",
  line: (line: number) => `Line ${line}`,
  maximumReached: (count: number) =>
    `You have ${count}, the maximum. Delete one to create another.`,
  name: "Name",
  newEnvironment: "New environment",
  problemsToFix: (count: number) =>
    count === 1
      ? "1 problem. Fix the text before you start a job."
      : `${count} problems. Fix the text before you start a job.`,
  runningJobsAreNotAffected: "Running jobs are not affected.",
  save: "Save",
  saved: (name: string) => `Environment “${name}” saved.`,
  saving: "Saving…",
  siteEnvironment: "site environment",
  siteEnvironments: "Site environments",
  startJob: "Start job",
  textOf: (name: string) => `Text of ${name}`,
  textOfSite: (name: string) => `${name} (site environment)`,
  textOfTheNewEnvironment: "Text of the new environment",
  unsavedChanges: ", unsaved changes",
  validResolvedConfiguration: "Valid. Resolved configuration:",
} as const;
