// The texts of this folder's components. Sentences with values are next to
// their code.
export const messages = {
  cancel: "Cancel",
  copied: "Copied",
  copyingFailedSelectTheText: "Copying failed, select the text instead",
  darkTheme: "Dark theme",
  dismiss: "Dismiss",
  errors: "Errors",
  lightTheme: "Light theme",
  systemTheme: "System theme",
  theme: "Theme",
  tryAgain: "Try again",
  working: "Working…",
} as const;
