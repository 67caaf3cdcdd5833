import { describe, expect, it } from "vitest";
import {
  expiryMs,
  lifetimeLabel,
  proposedLifetime,
  tokenLifetimes,
} from "../../../src/features/account/token_lifetime";

const day = 24 * 60 * 60_000;

describe("the lifetime of a token", () => {
  it("is limited by the site's maximum", () => {
    expect(tokenLifetimes(45)).toEqual([1, 7, 30, 45]);
    expect(tokenLifetimes(30)).toEqual([1, 7, 30]);
  });

  it("has the common values without a maximum", () => {
    expect(tokenLifetimes(0)).toEqual([1, 7, 30, 90, 180, 365]);
  });

  it("defaults to a month or the maximum", () => {
    expect(proposedLifetime(tokenLifetimes(365))).toBe(30);
    expect(proposedLifetime(tokenLifetimes(10))).toBe(10);
  });

  it("tolerates a server clock that is behind", () => {
    expect(expiryMs(30, 0)).toBeLessThan(30 * day);
    expect(expiryMs(30, 0)).toBeGreaterThan(29.9 * day);
  });

  it("is shown in days or whole years", () => {
    expect([1, 90, 365].map(lifetimeLabel)).toEqual([
      "1 day",
      "90 days",
      "1 year",
    ]);
  });
});
