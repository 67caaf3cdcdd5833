import { describe, expect, it } from "vitest";
import {
  expiryMs,
  lifetimeLabel,
  proposedLifetime,
  tokenLifetimes,
} from "../../../src/features/account/token_lifetime";

const day = 24 * 60 * 60_000;

describe("the life of a token", () => {
  it("never goes beyond the site's maximum, which is a choice itself", () => {
    expect(tokenLifetimes(45)).toEqual([1, 7, 30, 45]);
    expect(tokenLifetimes(30)).toEqual([1, 7, 30]);
  });

  it("has the usual choices without a maximum", () => {
    expect(tokenLifetimes(0)).toEqual([1, 7, 30, 90, 180, 365]);
  });

  it("is proposed as a month, or less where the site wants it", () => {
    expect(proposedLifetime(tokenLifetimes(365))).toBe(30);
    expect(proposedLifetime(tokenLifetimes(10))).toBe(10);
  });

  it("ends within the maximum for a server whose clock is a bit behind", () => {
    expect(expiryMs(30, 0)).toBeLessThan(30 * day);
    expect(expiryMs(30, 0)).toBeGreaterThan(29.9 * day);
  });

  it("is written in days, and years where it is whole ones", () => {
    expect([1, 90, 365].map(lifetimeLabel)).toEqual([
      "1 day",
      "90 days",
      "1 year",
    ]);
  });
});
