// Labels and levels for the usage of a storage area.
import type { Amount, StorageArea } from "#proto/storage";
import { formatMinutes } from "../../lib/format/duration";
import { formatMoment, msOf } from "../../lib/format/moment";
import { formatNumber } from "../../lib/format/number";
import { formatShare, formatSize } from "../../lib/format/size";
import { messages } from "#messages/dashboard";

// "tight": 80 % of the limit; "over": above the soft limit, or full.
export type Level = "fine" | "tight" | "over" | "unknown";

const kTight = 0.8;

// The soft limit, else the hard limit. 0: unlimited.
function limitOf(amount: Amount): number {
  return Number(amount.softLimit || amount.limit);
}

// From 0 to 1; undefined without a limit.
export function shareOf(amount: Amount | undefined): number | undefined {
  const limit = amount ? limitOf(amount) : 0;
  return amount && limit > 0
    ? Math.min(1, Number(amount.used) / limit)
    : undefined;
}

function isSpent(amount: Amount | undefined): boolean {
  return !!amount && amount.limit > 0n && amount.used >= amount.limit;
}

function isOver(amount: Amount | undefined): boolean {
  const soft = amount?.softLimit ?? 0n;
  return isSpent(amount) || (!!amount && soft > 0n && amount.used > soft);
}

export function levelOf(area: StorageArea): Level {
  if (area.problem || !area.bytes) return "unknown";
  if (isOver(area.bytes) || isOver(area.files)) return "over";
  const shares = [shareOf(area.bytes) ?? 0, shareOf(area.files) ?? 0];
  return Math.max(...shares) >= kTight ? "tight" : "fine";
}

// "12.3 of 50 GiB", "12.3 GiB used".
export function bytesLabel({ bytes }: StorageArea): string {
  if (!bytes) return "";
  const limit = limitOf(bytes);
  const used = Number(bytes.used);
  return limit > 0
    ? formatShare(used, limit)
    : messages.bytesUsed({ size: formatSize(used) });
}

// "900 of 1,000 files". For a shared file system only when the files are nearly
// used up.
export function filesLabel({ files, shared }: StorageArea): string {
  const share = shareOf(files);
  if (!files || share === undefined || (shared && share < kTight)) return "";
  return messages.filesUsed({
    used: formatNumber(Number(files.used)),
    limit: formatNumber(limitOf(files)),
  });
}

// What to do about an area over its limit; "" for other areas.
export function warningOf(area: StorageArea, now: number): string {
  if (levelOf(area) !== "over") return "";
  const what = [
    isOver(area.bytes) && bytesLabel(area),
    isOver(area.files) && filesLabel(area),
  ]
    .filter(Boolean)
    .join(", ");
  return `${messages.areaIsFull({ name: area.name, usage: what })} ${graceLabel(area, now)}`;
}

// How long the area may stay over its limit.
export function graceLabel(area: StorageArea, now: number): string {
  const ends = msOf(area.graceEnds);
  if (ends === undefined) {
    // Over a soft limit that the file system does not enforce.
    if (!isSpent(area.bytes) && !isSpent(area.files))
      return messages.deleteFilesToFreeSpace;
    return area.shared ? messages.noUserCanWrite : messages.youCannotWrite;
  }
  if (ends <= now) {
    return messages.gracePeriodHasEnded;
  }
  const minutes = Math.ceil((ends - now) / 60_000);
  const coarse = minutes < 24 * 60 ? minutes : minutes - (minutes % 60);
  return messages.deleteFilesBy({
    moment: formatMoment(ends, now),
    duration: formatMinutes(coarse),
  });
}
