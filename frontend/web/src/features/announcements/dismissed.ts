// The announcements that a reader has dismissed, in this browser. A changed one is
// shown again.
import type { Announcement } from "#proto/announcement";
import { AnnouncementLevel } from "#proto/announcement";

const kKey = "carme-dismissed-announcements";
// More than the site can have.
const kMaxKept = 100;

export function mayDismiss({ level }: Announcement): boolean {
  return level === AnnouncementLevel.INFO;
}

export function versionOf({ id, setAt }: Announcement): string {
  return `${id} ${setAt?.seconds ?? 0n}`;
}

// Those that were not dismissed. A warning cannot be.
export function undismissed(
  announcements: readonly Announcement[],
  dismissed: readonly string[],
): readonly Announcement[] {
  return announcements.filter(
    (each) => !mayDismiss(each) || !dismissed.includes(versionOf(each)),
  );
}

export function storedDismissals(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(kKey) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.filter((each) => typeof each === "string");
  } catch {
    return []; // storage is disabled, or has something else
  }
}

export function storeDismissals(versions: readonly string[]): void {
  try {
    localStorage.setItem(kKey, JSON.stringify(versions.slice(-kMaxKept)));
  } catch {
    // They then last until the page is closed.
  }
}
