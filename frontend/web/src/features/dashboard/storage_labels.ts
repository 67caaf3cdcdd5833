// How full an area of storage is, in words and as a level.
import type { Amount, StorageArea } from "#proto/storage";
import { formatMinutes } from "../../lib/format/duration";
import { formatMoment, msOf } from "../../lib/format/moment";
import { formatNumber, formatShare, formatSize } from "../../lib/format/size";

// "tight": nine tenths of what may be used; "over": more than may be used for
// long, or nothing more can be written.
export type Level = "fine" | "tight" | "over" | "unknown";

const kTight = 0.9;

// What may be used for good: the soft limit where there is one. 0: anything.
function limitOf(amount: Amount): number {
  return Number(amount.softLimit || amount.limit);
}

// From 0 to 1; undefined: there is no limit.
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
  return limit > 0 ? formatShare(used, limit) : `${formatSize(used)} used`;
}

// "900 of 1,000 files" of a user's own; of a shared file system, whose files
// are nobody's matter, only when they run short.
export function filesLabel({ files, shared }: StorageArea): string {
  const share = shareOf(files);
  if (!files || share === undefined || (shared && share < kTight)) return "";
  return `${formatNumber(Number(files.used))} of ${formatNumber(limitOf(files))} files`;
}

// What to do about an area that is over; "" for any other.
export function warningOf(area: StorageArea, now: number): string {
  if (levelOf(area) !== "over") return "";
  const what = [
    isOver(area.bytes) && bytesLabel(area),
    isOver(area.files) && filesLabel(area),
  ]
    .filter(Boolean)
    .join(", ");
  return `${area.name} is full: ${what}. ${graceLabel(area, now)}`;
}

// How long more than the limit may stay.
export function graceLabel(area: StorageArea, now: number): string {
  const ends = msOf(area.graceEnds);
  if (ends === undefined) {
    // Above a soft limit that nobody enforces there.
    if (!isSpent(area.bytes) && !isSpent(area.files)) return "Make room there.";
    return area.shared
      ? "Nobody can write there until somebody makes room."
      : "Nothing more can be written there until you make room.";
  }
  if (ends <= now) {
    return "The time to make room is over: nothing more can be written there.";
  }
  const minutes = Math.ceil((ends - now) / 60_000);
  const coarse = minutes < 24 * 60 ? minutes : minutes - (minutes % 60);
  return `Make room by ${formatMoment(ends, now)}, in ${formatMinutes(coarse)}: after that nothing more can be written there.`;
}
