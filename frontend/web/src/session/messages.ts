// The texts of this folder's components. Sentences with values are next to
// their code.
export const messages = {
  yourSessionHasEndedLog:
    "Your session has ended. Log in again to continue. Your jobs keep running.",
} as const;
