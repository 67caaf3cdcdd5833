// Saves text or bytes as a file.
const kKeptMs = 60_000;

export function download(
  name: string,
  parts: string[],
  type = "text/plain",
): void {
  save(name, new Blob(parts, { type }));
}

export function downloadBytes(name: string, content: Uint8Array): void {
  save(name, new Blob([content], { type: "application/octet-stream" }));
}

function save(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser may still show its save dialog.
  setTimeout(() => URL.revokeObjectURL(address), kKeptMs);
}
