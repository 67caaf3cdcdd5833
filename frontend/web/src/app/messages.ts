// All texts of this folder's components.
export const messages = {
  administration: "Administration",
  cannotReachCarme: "Cannot reach Carme",
  carme: "Carme",
  carmeDashboard: "Carme, dashboard",
  cluster: "Cluster",
  environments: "Environments",
  goToTheDashboard: "Go to the dashboard",
  history: "History",
  loadingCarme: "Loading Carme",
  logOut: "Log out",
  loggingOutFailed: "Logging out failed",
  pageNotFound: "Page not found",
  projects: "Projects",
  projectsToReview: (requests: number) =>
    `Projects, ${requests} requests to review`,
  reservations: "Reservations",
  retryNow: "Retry now",
  theAddressMayBeMistyped:
    "The address may be mistyped, or your role has no access to this page.",
  thisPageRetriesAutomaticallyRunning:
    "This page retries automatically. Running jobs are not affected.",
  yourAccount: (name: string, role: string) => `${name} ${role}, your account`,
} as const;
