// Light, dark, or as the system says. The choice is kept in this browser.
export type Theme = "auto" | "light" | "dark";

export const kThemes: readonly Theme[] = ["auto", "light", "dark"];

const kKey = "carme-theme";

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(kKey);
    return kThemes.find((theme) => theme === stored) ?? "auto";
  } catch {
    return "auto"; // storage is switched off in this browser
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
    // Then the choice lasts as long as the page.
  }
}

function show(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
