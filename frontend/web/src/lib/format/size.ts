// Formats sizes, with one unit for both values if that is readable.
import { formatPlain } from "./number";
import { messages } from "#messages/format";

// Bytes have a text of their own.
const kUnits = ["", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// 12.34 → "12.3", 50 → "50", 123.4 → "123".
function rounded(value: number): string {
  return formatPlain(value, value < 100 ? 1 : 0);
}

// The largest unit with a value of at least 1.
function unitOf(bytes: number): number {
  let unit = 0;
  // A value that rounds to 1024 uses the next unit.
  while (unit < kUnits.length - 1 && bytes / 1024 ** unit >= 1023.5) unit++;
  return unit;
}

// 1536 → "1.5 KiB", 1 → "1 byte".
export function formatSize(bytes: number): string {
  const unit = unitOf(bytes);
  if (unit === 0)
    return messages.bytes({ count: bytes, shown: rounded(bytes) });
  return `${rounded(bytes / 1024 ** unit)} ${kUnits[unit]}`;
}

// 12.3 and 50 GiB → "12.3 of 50 GiB"; a small value keeps its own unit: "20 MiB
// of 50 GiB".
export function formatShare(used: number, limit: number): string {
  const unit = unitOf(limit);
  const share = used / 1024 ** unit;
  const amount = share >= 0.1 || used === 0 ? rounded(share) : formatSize(used);
  return messages.usedOf({ used: amount, limit: formatSize(limit) });
}
