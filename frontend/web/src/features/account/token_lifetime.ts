// The lifetimes offered for a new token: common values up to the site's
// maximum, and the maximum.
import { messages } from "#messages/account";

const kCommonDays = [1, 7, 30, 90, 180, 365];
const kProposedDays = 30;
const kDayMs = 24 * 60 * 60_000;
// The server uses its own clock, which may be behind the browser's.
const kSlackMs = 60_000;

export function tokenLifetimes(maxDays: number): number[] {
  if (maxDays <= 0) return kCommonDays;
  return [...kCommonDays.filter((days) => days < maxDays), maxDays];
}

export function proposedLifetime(lifetimes: readonly number[]): number {
  const fitting = lifetimes.filter((days) => days <= kProposedDays);
  return fitting.at(-1) ?? lifetimes[0] ?? kProposedDays;
}

export function expiryMs(days: number, now: number): number {
  return now + days * kDayMs - kSlackMs;
}

export function lifetimeLabel(days: number): string {
  return days % 365 === 0
    ? messages.years({ count: days / 365 })
    : messages.days({ count: days });
}
