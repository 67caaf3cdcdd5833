// Memory is in MiB in the API and shown in GiB; log sizes are bytes.
import { formatPlain } from "./number";
import { messages } from "#messages/format";

// Parses "64", "1.5", "64 GiB", "512 MiB", "1 T". undefined: not a positive
// amount.
export function parseMib(text: string): number | undefined {
  const match = /^(\d+(?:[.,]\d+)?) ?([mgt]?)(?:i?b)?$/i.exec(text.trim());
  if (!match) return undefined;
  const amount = Number(match[1]!.replace(",", "."));
  const mib = Math.round(amount * kMib[match[2]!.toLowerCase()]!);
  return mib > 0 ? mib : undefined;
}

const kMib: Record<string, number> = {
  m: 1,
  "": 1024,
  g: 1024,
  t: 1024 * 1024,
};

// 65536 → "64 GiB", 1536 → "1.5 GiB", 500 → "500 MiB".
export function formatMib(mib: number): string {
  if (mib < 1024) return `${formatPlain(mib)} MiB`;
  return `${formatPlain(mib / 1024, 1)} GiB`;
}

// 800 → "800 bytes", 65536 → "64 KiB", 1572864 → "1.5 MiB".
export function formatBytes(bytes: number): string {
  if (bytes < 1024)
    return messages.bytes({ count: bytes, shown: String(bytes) });
  const kib = bytes / 1024;
  if (kib < 1024) return `${Math.round(kib)} KiB`;
  return formatMib(Number((kib / 1024).toFixed(1)));
}
