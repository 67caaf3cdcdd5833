// Which language is shown: the one chosen in this browser, otherwise the first
// of the browser's languages that has a catalogue, otherwise English.
import { type Language, languages } from "#languages";

const kKey = "carme-language";

export function languageOf(
  stored: string | null,
  preferred: readonly string[],
): Language {
  const codes = [stored ?? "", ...preferred].map((tag) =>
    tag.toLowerCase().replace(/-.*/, ""),
  );
  const found = codes.flatMap((code) =>
    languages.filter((language) => language.code === code),
  );
  return found[0] ?? languages.find(({ code }) => code === "en")!;
}

export function shownLanguage(): Language {
  return languageOf(storedCode(), navigator.languages);
}

// Reloads the page; texts are read only once.
export function chooseLanguage(code: string): void {
  try {
    localStorage.setItem(kKey, code);
  } catch {
    return; // storage is disabled in this browser
  }
  location.reload();
}

function storedCode(): string | null {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null;
  }
}
