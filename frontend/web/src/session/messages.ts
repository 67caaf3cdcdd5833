// All texts of this folder.
export const messages = {
  admin: "admin",
  manager: "manager",
  none: "none",
  support: "support",
  unknown: "unknown",
  user: "user",
  yourSessionHasEndedLog:
    "Your session has ended. Log in again to continue. Your jobs keep running.",
} as const;
