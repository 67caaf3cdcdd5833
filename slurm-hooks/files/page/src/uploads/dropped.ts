// Files and folders that a person drops on the page or chooses.
import { type Chosen, foldersOfRelativePath } from "./upload_plan";

export interface ChosenFiles {
  files: Chosen[];
  emptyFolders: string[][];
}

export function filesOfInput(list: FileList): ChosenFiles {
  const files = Array.from(list, (file) => ({
    file,
    folders: foldersOfRelativePath(file.webkitRelativePath),
  }));
  return { files, emptyFolders: [] };
}

// The entries must be read from the event before the first await.
export async function filesOfDrop(
  transfer: DataTransfer,
): Promise<ChosenFiles> {
  const chosen: ChosenFiles = { files: [], emptyFolders: [] };
  const entries: FileSystemEntry[] = [];
  for (const item of transfer.items) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    else if (file) chosen.files.push({ file, folders: [] });
  }
  for (const entry of entries) await addEntry(entry, [], chosen);
  return chosen;
}

async function addEntry(
  entry: FileSystemEntry,
  folders: string[],
  chosen: ChosenFiles,
): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    chosen.files.push({ file, folders });
    return;
  }
  const inside = [...folders, entry.name];
  const children = await childrenOf(entry as FileSystemDirectoryEntry);
  if (children.length === 0) chosen.emptyFolders.push(inside);
  for (const child of children) await addEntry(child, inside, chosen);
}

// A reader returns some entries at a time, and none at the end.
async function childrenOf(
  folder: FileSystemDirectoryEntry,
): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}
