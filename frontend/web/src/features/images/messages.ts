// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
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
  buildImage: "Build image",
  buildProgress: "Progress:",
  builtByAJobThat:
    "Built by a job that runs as you. Private until you share them.",
  cancel: "Cancel",
  change: "Change",
  checkFile: "Check file",
  deprecatedUsableShownWithA: "Deprecated: usable, shown with a warning",
  description: "Description",
  directoryGroup: "Directory group",
  file: "File",
  fileChecked: "file checked",
  from: "From",
  groupName: "Group name",
  groups: "Groups",
  images: "Images",
  ldapGroupNamesSeparatedBy: "LDAP group names, separated by commas",
  minimumCudaVersion: "Minimum CUDA version",
  minimumNvidiaDriver: "Minimum NVIDIA driver",
  mounts: "Mounts",
  nameAndVersion: "Name and version",
  newImage: "New image",
  newJobsCannotUseIt: "New jobs cannot use it. The file is kept.",
  noImages: "No images.",
  offer: "Offer",
  offeredToYourGroupsAnd: "Offered to your groups and projects",
  onePerLineDataOr:
    "One per line: /data, or /data at /mnt, or /data, read only. {user} is replaced by the user name.",
  onePerLineNameValue: "One per line: NAME=value",
  outputOfSha256sumCheckedBefore:
    "Output of sha256sum. Checked before each start.",
  outputOfSha256sumLeaveEmpty:
    "Output of sha256sum. Leave empty to compute it with a job.",
  path: "Path",
  pathOfASifFile:
    "Path of a SIF file, readable on all nodes, not writable by users",
  projects: "Projects",
  reactivate: "Reactivate",
  reject: "Reject",
  remove: "Remove…",
  removeLabel: "Remove",
  retryCopy: "Retry copy",
  roles: "Roles",
  save: "Save",
  saving: "Saving…",
  sha256: "SHA-256",
  share: "Share…",
  shareWith: "Share with",
  siteImages: "Site images",
  siteImagesAndImagesShared: "Site images and images shared with you",
  state: "State",
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
