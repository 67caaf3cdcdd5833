// The texts of this folder's components. Sentences with values are next to
// their code.
export const messages = {
  cannotLoadThisPage: "Cannot load this page",
  carmeMayHaveBeenUpdated:
    "Carme may have been updated, or your connection is down.",
  loadingThePage: "Loading the page",
  reload: "Reload",
} as const;
