// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  actions: "Actions",
  appliesTo: "Applies to",
  cancel: "Cancel",
  expiresOn: "Expires on",
  forEachKindOfLimit:
    "For each kind of limit the most specific one applies: user, then group (the lowest), then role, then configuration. Limits of the project apply in addition. Running jobs are not affected.",
  group: "Group",
  ldapGroupName: "LDAP group name",
  leaveEmptyForEachMember: "Leave empty for each member of the project",
  leaveEmptyForNoExpiry: "Leave empty for no expiry",
  leaveEmptyForUnlimitedOverrides:
    "Leave empty for unlimited (overrides less specific limits). 0 blocks all use.",
  limit: "Limit",
  limitRemoved: "Limit removed.",
  limits: "Limits",
  maximum: "Maximum",
  name: "Name",
  noLimitsForSlurmAccounts: "No limits for Slurm accounts or QOS.",
  noLimitsOnlySlurmsLimits: "No limits. Only Slurm's limits apply.",
  project: "Project",
  reason: "Reason",
  remove: "Remove",
  removeThisLimit: "Remove this limit?",
  role: "Role",
  saveLimit: "Save limit",
  saving: "Saving…",
  select: "Select…",
  setBy: "Set by",
  setLimit: "Set limit",
  shownToTheAffectedUsers: "Shown to the affected users.",
  slurmLimits: "Slurm limits",
  suchAs8HOr:
    "Such as 8 h or 90 min. Leave empty for unlimited (overrides less specific limits).",
  theMostSpecificLimitApplies:
    "The most specific limit applies: your own, your group's, your role's, then the site's. Running and pending jobs count with their full walltime.",
  theSubject: "the subject",
  theseLimitsApplyInAddition: "These limits apply in addition to your own.",
  theseLimitsApplyToJobs:
    "These limits apply to jobs in this project, in addition to your own limits.",
  used: "Used",
  userName: "User name",
  usersAndProjects: "Users and projects",
  yourLimits: "Your limits",
} as const;
