// Paths as the server's API has them: absolute, each byte outside of a small
// set percent-encoded. A name may be invalid UTF-8, so that a path is converted
// to text only to be shown.
export type RawPath = string;

const kPlain = /[A-Za-z0-9\-._~/]/;
const kEncoder = new TextEncoder();
const kDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

function encodeByte(byte: number): string {
  const char = String.fromCharCode(byte);
  if (byte < 0x80 && kPlain.test(char)) return char;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function bytesOf(encoded: string): number[] {
  const bytes: number[] = [];
  for (const piece of encoded.split(/(%[0-9A-Fa-f]{2})/)) {
    if (/^%[0-9A-Fa-f]{2}$/.test(piece)) {
      bytes.push(parseInt(piece.slice(1), 16));
    } else {
      bytes.push(...kEncoder.encode(piece));
    }
  }
  return bytes;
}

export function rawOfText(text: string): RawPath {
  return Array.from(kEncoder.encode(text), encodeByte).join("");
}

export function textOfRaw(raw: RawPath): string {
  return kDecoder.decode(new Uint8Array(bytesOf(raw)));
}

export function byteLength(raw: RawPath): number {
  return bytesOf(raw).length;
}

// One spelling for each path, without "//", "." and "..".
export function normalizeRaw(encoded: string): RawPath {
  const raw = bytesOf(encoded).map(encodeByte).join("");
  const segments: string[] = [];
  for (const segment of raw.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

// One spelling of a name.
export function normalizeName(encoded: string): RawPath {
  return bytesOf(encoded).map(encodeByte).join("");
}

export function joinRaw(folder: RawPath, name: RawPath): RawPath {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

export function parentOf(path: RawPath): RawPath {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function baseOf(path: RawPath): RawPath {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function isInside(path: RawPath, folder: RawPath): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

// The folders from the root to the path, as a path bar shows them.
export function segmentsOf(path: RawPath): { name: string; path: RawPath }[] {
  const names = path.split("/").filter(Boolean);
  return names.map((name, at) => ({
    name: textOfRaw(name),
    path: `/${names.slice(0, at + 1).join("/")}`,
  }));
}

// What a person typed: absolute, below home ("~"), or relative to the folder.
// Text that was not changed keeps the bytes of the path that it shows.
export function rawOfTyped(
  typed: string,
  folder: RawPath,
  home: RawPath,
): RawPath {
  const text = typed.trim();
  if (text === textOfRaw(folder) || text === "") return folder;
  if (text === "~" || text.startsWith("~/")) {
    return normalizeRaw(`${home}/${rawOfText(text.slice(1))}`);
  }
  const raw = rawOfText(text);
  return normalizeRaw(text.startsWith("/") ? raw : `${folder}/${raw}`);
}

// The fragment of the page's address; undefined: it names no path.
export function rawOfFragment(fragment: string): RawPath | undefined {
  const text = fragment.replace(/^#/, "");
  if (!/^(\/|%2f)/i.test(text)) return undefined;
  return normalizeRaw(text);
}
