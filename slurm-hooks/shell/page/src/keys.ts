// The keys that the page takes for itself; all others are the shell's.

export type KeyAct = "copy" | "paste" | undefined;

interface Key {
  key: string;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

// Ctrl+Shift+C and V, Ctrl+Insert and Shift+Insert; on a Mac Command+C and V,
// which the browser does by itself. Ctrl+C stays the interrupt.
export function keyAct(key: Key): KeyAct {
  if (key.altKey || key.metaKey) return undefined;
  const name = key.key.toLowerCase();
  if (key.ctrlKey && key.shiftKey) {
    return name === "c" ? "copy" : name === "v" ? "paste" : undefined;
  }
  if (name !== "insert") return undefined;
  return key.ctrlKey ? "copy" : key.shiftKey ? "paste" : undefined;
}
