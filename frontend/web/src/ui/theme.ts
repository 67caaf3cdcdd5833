// Light, dark or system theme. The choice is stored in this browser.
export type Theme = "auto" | "light" | "dark";

export const kThemes: readonly Theme[] = ["auto", "light", "dark"];

const kKey = "carme-theme";

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(kKey);
    return kThemes.find((theme) => theme === stored) ?? "auto";
  } catch {
    return "auto"; // storage is disabled in this browser
  }
}

export function applyStoredTheme(): void {
  show(storedTheme());
}

export function chooseTheme(theme: Theme): void {
  show(theme);
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

function show(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
