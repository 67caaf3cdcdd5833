// All texts of this feature's pages.
export const messages = {
  aManagerOfTheProject:
    "A manager of the project or group must approve. Then a job that runs as you copies the file for the members; your home directory stays private.",
  active: "Active",
  addImage: "Add image",
  added: "added",
  allUsersUnlessYouSelect:
    "All users, unless you select groups, roles or projects.",
  approve: "Approve",
  apps: "Apps",
  appsOf: (apps: string) => `apps ${apps}`,
  apptainerDefinition: "Apptainer definition",
  apptainerDefinitionHint:
    "A definition file for apptainer build. The result is a SIF file in ~/carme-images.",
  audienceAll: "for all users",
  audienceGroup: (name: string) => `group ${name}`,
  audienceOf: (names: string) => `for ${names}`,
  audienceProject: (name: string) => `project ${name}`,
  audienceRole: (role: string) => `role ${role}`,
  buildImage: "Build image",
  buildProgress: "Progress:",
  buildStarted: (time: string) => `started ${time} ago`,
  buildStep: (step: number, steps: number) => `step ${step} of ${steps}`,
  builtByAJobThat:
    "Built by a job that runs as you. Private until you share them.",
  cancel: "Cancel",
  change: "Change",
  checkFailed: (problem: string) => `The last check failed: ${problem}`,
  checkFile: "Check file",
  checkStarted: (id: string) =>
    `A job that runs as you checks the file of ${id}.`,
  checking: "File check in progress.",
  copyFailed: (problem: string) =>
    `Other users cannot use this image because copying failed: ${problem}`,
  copyPending: (problem: string) =>
    `The copy for other users is pending: ${problem}`,
  copying: "Copying for other users. They can use the image afterwards.",
  deprecatedUsableShownWithA: "Deprecated: usable, shown with a warning",
  description: "Description",
  digestStarted: (id: string) =>
    `A job that runs as you computes the digest of ${id} first.`,
  directoryGroup: "Directory group",
  dockerArchive: "Docker archive",
  dockerArchiveHint:
    "The output of docker save or podman save. The result is a SIF file in ~/carme-images.",
  exampleDefinition: "~/images/torch.def",
  exampleFolder: "~/images/torch",
  exampleName: "torch:2.6",
  exampleSif: "~/images/torch.sif",
  exampleTar: "~/images/torch.tar",
  failedStartIn: (state: string, id: string) => `${state} Jobs start in ${id}.`,
  failedStartOnHost: (state: string) =>
    `${state} Jobs start without an image, with the programs of the node only.`,
  file: "File",
  fileChecked: "file checked",
  from: "From",
  groupName: "Group name",
  groups: "Groups",
  hostSystem: "No container (host system)",
  imageAdded: (id: string) => `Image ${id} added.`,
  imageBuildStarted: (id: string) => `A job builds the image ${id}.`,
  imageChanged: (id: string) => `Image ${id} changed.`,
  imageOffered: (id: string, partner: string) =>
    `${id} offered to ${partner}. A manager decides.`,
  imageReactivated: (id: string) => `${id} reactivated.`,
  imageRemoved: (id: string) => `${id} removed. The file is kept.`,
  imageRemovedFromList: (id: string) =>
    `${id} removed from the list. The file is kept.`,
  imageShared: (id: string, partner: string) =>
    `${id} is shared with ${partner}.`,
  imageUnshared: (id: string, partner: string) =>
    `${id} is no longer shared with ${partner}.`,
  imageWithdrawn: (id: string) => `${id} withdrawn.`,
  images: "Images",
  invalidMount: (line: string) =>
    `Invalid mount “${line}”: expected “/folder”, “/folder at /other” or “/folder, read only”`,
  invalidVariable: (line: string) =>
    `Invalid variable “${line}”: expected “NAME=value”`,
  ldapGroupNamesSeparatedBy: "LDAP group names, separated by commas",
  minimumCudaVersion: "Minimum CUDA version",
  minimumNvidiaDriver: "Minimum NVIDIA driver",
  mounts: "Mounts",
  mountsOf: (folders: string) => `mounts ${folders}`,
  nameAndVersion: "Name and version",
  needs: (needs: string) => `needs ${needs}`,
  needsCuda: (version: string) => `CUDA ${version} or newer`,
  needsDriver: (version: string) => `driver ${version} or newer`,
  newImage: "New image",
  newJobsCannotUseIt: "New jobs cannot use it. The file is kept.",
  noImages: "No images.",
  ociArchive: "OCI archive",
  ociArchiveHint:
    "A tar file of an OCI layout: podman save --format oci-archive. The result is a SIF file in ~/carme-images.",
  ociDirectory: "OCI directory",
  ociDirectoryHint:
    "An OCI layout: skopeo copy … oci:torch. The result is a SIF file in ~/carme-images.",
  offer: "Offer",
  offeredToYourGroupsAnd: "Offered to your groups and projects",
  onePerLineDataOr:
    "One per line: /data, or /data at /mnt, or /data, read only. {user} is replaced by the user name.",
  onePerLineNameValue: "One per line: NAME=value",
  originConfiguration: "site image (from the configuration)",
  originOwner: (owner: string) => `of ${owner}`,
  originSite: "site image",
  outputOfSha256sumCheckedBefore:
    "Output of sha256sum. Checked before each start.",
  outputOfSha256sumLeaveEmpty:
    "Output of sha256sum. Leave empty to compute it with a job.",
  partnerProject: (name: string) => `project ${name}`,
  path: "Path",
  pathOfASifFile:
    "Path of a SIF file, readable on all nodes, not writable by users",
  pendingBuilding: (id: string, progress: string) =>
    progress === ""
      ? `Image ${id} is being built.`
      : `Image ${id} is being built (${progress}).`,
  pendingFailed: (id: string, problem: string) =>
    `Image ${id} could not be built: ${problem}.`,
  pendingNoOther: (state: string) =>
    `${state} No other image is suitable for this job.`,
  pendingStartIn: (state: string, id: string) =>
    `${state} Until it is ready, jobs start in ${id}.`,
  pendingStartOnHost: (state: string) =>
    `${state} Until it is ready, jobs start without an image, with the programs of the node only.`,
  percentBuilt: (percent: number) => `${percent} %`,
  projectChoice: (name: string) => `Project ${name}`,
  projects: "Projects",
  reactivate: "Reactivate",
  reject: "Reject",
  remove: "Remove…",
  removeImage: (id: string) => `Remove ${id}?`,
  removeLabel: "Remove",
  retryCopy: "Retry copy",
  roles: "Roles",
  save: "Save",
  saving: "Saving…",
  sha256: "SHA-256",
  share: "Share…",
  shareApproved: (partner: string, approver: string) =>
    `shared with ${partner} by ${approver}`,
  shareImage: (id: string) => `Share ${id}?`,
  shareOffered: (partner: string) => `offered to ${partner}`,
  shareWith: "Share with",
  sifFile: "SIF file",
  sifFileHint:
    "Used in place. If the file changes, jobs can no longer start from it.",
  siteImages: "Site images",
  siteImagesAndImagesShared: "Site images and images shared with you",
  state: "State",
  stateActive: "active",
  stateBuilding: "building",
  stateDeprecated: "deprecated",
  stateFailed: "failed",
  stateUnknown: "unknown",
  stateWithdrawn: "withdrawn",
  submitting: "Submitting…",
  suchAs124Nodes:
    "Such as 12.4. Nodes report their CUDA version as a Slurm feature, such as cuda-12.6.",
  suchAs55054Nodes:
    "Such as 550.54. Nodes report their driver as a Slurm feature, such as driver-550.54.14.",
  suchAsJupyterCodeLeave: "Such as jupyter, code. Leave empty for any app.",
  suchAsTorch26: "Such as torch:2.6. Use a new version for a changed file.",
  theDigestIsCheckedBefore:
    "The digest is checked before each start. Add a new version for a changed file.",
  theOwnersOfferTheseImages:
    "The owners offer these images. Approve or reject them.",
  variables: "Variables",
  whoMayUseIt: "Who may use it",
  withdraw: "Withdraw",
  withdrawnNewJobsCannotUse: "Withdrawn: new jobs cannot use it",
  youHaveNoImages: "You have no images.",
  yourImages: "Your images",
  yourJobsCanUseThese:
    "Your jobs can use these images. The digest is checked before each start.",
} as const;
