// All texts of this folder.
export const messages = {
  cannotReachCarme: "Cannot reach Carme. Check your connection and try again.",
  requestTimedOut: "The request timed out. Try again.",
  serverReturned: (code: string) => `The server returned ${code}.`,
  serverReturnedStatus: (status: string) =>
    `The server returned HTTP status ${status}. Try again.`,
} as const;
