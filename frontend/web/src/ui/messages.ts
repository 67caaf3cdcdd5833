// All texts of this folder's components.
export const messages = {
  cancel: "Cancel",
  copied: "Copied",
  copyingFailedSelectTheText: "Copying failed, select the text instead",
  darkTheme: "Dark theme",
  dismiss: "Dismiss",
  errors: "Errors",
  lightTheme: "Light theme",
  never: "never",
  requestId: { before: "Request ID ", after: "" },
  systemTheme: "System theme",
  theme: "Theme",
  tryAgain: "Try again",
  working: "Working…",
} as const;
