// What an upload consists of: folders to create, parents first, and files.
import { joinRaw, rawOfText, type RawPath } from "../paths/raw_path";

// Parts of this size can be resumed one by one.
export const kPartBytes = 16 * 1024 * 1024;

export interface Chosen {
  file: File;
  folders: readonly string[]; // from the chosen folder down, empty for a file
}

export interface PlannedFile {
  file: File;
  path: RawPath;
}

export interface UploadPlan {
  folders: RawPath[];
  files: PlannedFile[];
}

export function planUpload(
  target: RawPath,
  chosen: readonly Chosen[],
  emptyFolders: readonly (readonly string[])[] = [],
): UploadPlan {
  const folders = new Set<RawPath>();
  const addFolders = (names: readonly string[]): RawPath => {
    let path = target;
    for (const name of names) {
      path = joinRaw(path, rawOfText(name));
      folders.add(path);
    }
    return path;
  };
  for (const names of emptyFolders) addFolders(names);
  const files = chosen.map(({ file, folders: names }) => ({
    file,
    path: joinRaw(addFolders(names), rawOfText(file.name)),
  }));
  return { folders: [...folders], files };
}

// "photos/2024/a.jpg" of a folder's input → ["photos", "2024"].
export function foldersOfRelativePath(relative: string): string[] {
  return relative.split("/").slice(0, -1).filter(Boolean);
}

// Enough of a file's bytes to distinguish it from another one with its name, size
// and time.
const kSampleBytes = 64 * 1024;

// The same for the same file, also after a reload of the page, so that its
// upload is resumed.
export async function uploadIdOf(file: File): Promise<string> {
  const ends = new Blob([
    file.slice(0, kSampleBytes),
    file.slice(Math.max(kSampleBytes, file.size - kSampleBytes)),
  ]);
  return uploadId(file, new Uint8Array(await ends.arrayBuffer()));
}

export function uploadId(
  file: { name: string; size: number; lastModified: number },
  sample = new Uint8Array(),
): string {
  let text = `${file.name}\n${file.size}\n${file.lastModified}\n`;
  for (const byte of sample) text += String.fromCharCode(byte);
  return hash(text, 0x9e3779b9) + hash(text, 0x85ebca6b);
}

// cyrb53 by bryc, public domain: 53 bits that differ for similar texts.
function hash(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2246822507) ^
    Math.imul(low ^ (low >>> 13), 3266489909);
  low =
    Math.imul(low ^ (low >>> 16), 2246822507) ^
    Math.imul(high ^ (high >>> 13), 3266489909);
  const value = 4294967296 * (2097151 & low) + (high >>> 0);
  return value.toString(36).padStart(11, "0");
}

export interface Part {
  start: number;
  end: number; // exclusive
}

// The next part after the received bytes; undefined: all are received.
export function nextPart(
  received: number,
  total: number,
  partBytes = kPartBytes,
): Part | undefined {
  if (received >= total) return undefined;
  return { start: received, end: Math.min(received + partBytes, total) };
}
