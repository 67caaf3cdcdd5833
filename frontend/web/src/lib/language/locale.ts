// The locale of all dates, numbers and plurals: that of the active language.
let active = "en-GB";

export function activeLocale(): string {
  return active;
}

// Its language without a region: "de".
export function activeLanguage(): string {
  return active.replace(/-.*/, "");
}

// Before the first format.
export function setActiveLocale(locale: string): void {
  active = locale;
}

// Whether texts of the server are in the active language.
export function hasServerTexts(): boolean {
  return active.startsWith("en");
}
