// The keyboard shortcuts of the application.
import { hrefOf, type PlainPage } from "../routes/route";
import { messages } from "#messages/app";

export type ShortcutAction =
  | { readonly kind: "palette" }
  | { readonly kind: "help" }
  | { readonly kind: "form" }
  | { readonly kind: "go"; readonly href: string };

export interface KeyPress {
  readonly key: string;
  readonly control: boolean; // Control, or Command on a Mac
  readonly alternate: boolean;
  readonly typing: boolean; // the focus is in a field or dialog
}

const kPages: Readonly<Record<string, readonly [PlainPage, string]>> = {
  j: ["dashboard", messages.jobs],
  f: ["files", messages.files],
  c: ["cluster", messages.cluster],
  u: ["usage", messages.usage],
  h: ["history", messages.jobHistory],
  e: ["environments", messages.environments],
  p: ["projects", messages.projects],
  r: ["reservations", messages.reservations],
};

// The action of a key after the previous key; undefined: none. Only Ctrl-K
// also works in a text field, and while single keys are disabled.
export function shortcutOf(
  press: KeyPress,
  previous: string,
  singleKeys: boolean,
): ShortcutAction | undefined {
  const { key, control, alternate, typing } = press;
  if (control && !alternate && key.toLowerCase() === "k") {
    return { kind: "palette" };
  }
  if (control || alternate || typing || !singleKeys) return undefined;
  if (previous === "g") {
    const page = kPages[key];
    return page && { kind: "go", href: hrefOf(page[0]) };
  }
  if (key === "?") return { kind: "help" };
  if (key === "n") return { kind: "form" };
  return undefined;
}

// Keys and what they do, for the list.
export const kShortcuts: readonly (readonly [readonly string[], string])[] = [
  [["Ctrl", "K"], messages.openTheCommands],
  [["?"], messages.showTheseShortcuts],
  [["n"], messages.goToTheStartForm],
  ...Object.entries(kPages).map(
    ([key, [, label]]) =>
      [["g", key], messages.goToPage({ page: label })] as const,
  ),
];

const kStored = "carme-single-keys";

// Single keys can be disabled, because speech input may type them by mistake.
export function singleKeysEnabled(): boolean {
  try {
    return localStorage.getItem(kStored) !== "off";
  } catch {
    return true; // storage is disabled in this browser
  }
}

export function enableSingleKeys(enabled: boolean): void {
  try {
    localStorage.setItem(kStored, enabled ? "on" : "off");
  } catch {
    // Then they stay enabled.
  }
}
