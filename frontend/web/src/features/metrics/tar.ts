// Several files as one tar archive (POSIX ustar), without compression.

export interface ArchiveFile {
  readonly name: string; // a relative path of at most 100 bytes
  readonly content: Uint8Array;
}

const kBlock = 512;

export function tarOf(
  files: readonly ArchiveFile[],
  modifiedMs: number,
): Uint8Array {
  const parts = files.flatMap((file) => [
    headerOf(file, modifiedMs),
    file.content,
    new Uint8Array(-file.content.length & (kBlock - 1)),
  ]);
  parts.push(new Uint8Array(2 * kBlock));
  const whole = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function headerOf({ name, content }: ArchiveFile, ms: number): Uint8Array {
  const header = new Uint8Array(kBlock);
  const put = (at: number, text: string) =>
    header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) =>
    value.toString(8).padStart(digits, "0");
  put(0, name);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(content.length, 11));
  put(136, octal(Math.floor(ms / 1000), 11));
  put(148, " ".repeat(8)); // the checksum counts as spaces
  put(156, "0");
  put(257, "ustar\u000000");
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0`);
  return header;
}
