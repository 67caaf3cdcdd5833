// All texts of this folder's components.
export const messages = {
  cannotLoadThisPage: "Cannot load this page",
  carme: "Carme",
  carmeMayHaveBeenUpdated:
    "Carme may have been updated, or your connection is down.",
  loadingThePage: "Loading the page",
  reload: "Reload",
  tabTitle: (page: string) => `${page} · Carme`,
} as const;
