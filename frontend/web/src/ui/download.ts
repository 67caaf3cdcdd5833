// Saves text as a file.
const kKeptMs = 60_000;

export function download(
  name: string,
  parts: string[],
  type = "text/plain",
): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser may still show its save dialog.
  setTimeout(() => URL.revokeObjectURL(address), kKeptMs);
}
