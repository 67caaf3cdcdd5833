// Names of files: how they are shown, checked and made unique.
import { byteLength, rawOfText, type RawPath, textOfRaw } from "./raw_path";

export const kMaxNameBytes = 255;

// Control characters, and characters that change the direction of text or
// have no width: "a\u202Egnp.exe" must not look like "aexe.png".
const kInvisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;

// The name with a visible text for each invisible character.
export function shownName(name: string): string {
  return name.replace(kInvisible, (char) => {
    const code = char.charCodeAt(0).toString(16).toUpperCase();
    return `\u27e8U+${code.padStart(4, "0")}\u27e9`;
  });
}

// "archive.tar.gz" → "archive", ".tar.gz"; ".bashrc" → ".bashrc", "".
export function splitExtension(name: string): [stem: string, end: string] {
  const found = /^(.+?)((?:\.tar)?\.[^.\s]{1,16})$/.exec(name);
  return found ? [found[1]!, found[2]!] : [name, ""];
}

// In lower case and without the point.
export function extensionOf(name: string): string {
  return splitExtension(name)[1].replace(/^.*\./, "").toLowerCase();
}

export type NameProblem = "empty" | "slash" | "dots" | "long" | "nul" | "taken";

export function nameProblem(
  name: string,
  taken: ReadonlySet<RawPath>,
): NameProblem | undefined {
  if (name === "") return "empty";
  if (name.includes("/")) return "slash";
  if (name.includes("\0")) return "nul";
  if (name === "." || name === "..") return "dots";
  const raw = rawOfText(name);
  if (byteLength(raw) > kMaxNameBytes) return "long";
  if (taken.has(raw)) return "taken";
  return undefined;
}

// "a.txt" → "a (2).txt", "a (3).txt"…; bytes that are not text are kept.
export function numberedName(raw: RawPath, number: number): RawPath {
  const text = textOfRaw(raw);
  const end = rawOfText(splitExtension(text)[1]);
  let stem = end && raw.endsWith(end) ? raw.slice(0, -end.length) : raw;
  const suffix = rawOfText(` (${number})`) + (stem === raw ? "" : end);
  const earlier = /%20%28\d+%29$/.exec(stem);
  if (earlier && stem.length > earlier[0].length) {
    stem = stem.slice(0, -earlier[0].length);
  }
  const room = kMaxNameBytes - byteLength(suffix);
  return trimBytes(stem, room) + suffix;
}

// Whole characters only: a cut inside of one makes an invalid name.
function trimBytes(raw: RawPath, max: number): RawPath {
  if (byteLength(raw) <= max) return raw;
  const chars = Array.from(textOfRaw(raw));
  while (byteLength(rawOfText(chars.join(""))) > max) chars.pop();
  return rawOfText(chars.join(""));
}

export function freeName(raw: RawPath, taken: ReadonlySet<RawPath>): RawPath {
  if (!taken.has(raw)) return raw;
  let number = 2;
  while (taken.has(numberedName(raw, number))) number += 1;
  return numberedName(raw, number);
}
