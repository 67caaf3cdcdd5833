import { describe, expect, it } from "vitest";
import { retryDelayMs } from "../../../src/features/jobs/reconnect";

const kAlmostOne = 0.999999;

describe("the reconnect policy", () => {
  it("tries again within half a second the first time", () => {
    expect(retryDelayMs(0, kAlmostOne)).toBeLessThanOrEqual(500);
  });

  it("waits at least half of what it could", () => {
    for (const attempt of [0, 1, 5, 20]) {
      const max = retryDelayMs(attempt, 1);
      expect(retryDelayMs(attempt, 0)).toBe(max / 2);
    }
  });

  it("doubles and then stays at twenty seconds, however long it lasts", () => {
    const max = [0, 1, 2, 3, 6, 1000].map((n) => retryDelayMs(n, 1));
    expect(max).toEqual([500, 1000, 2000, 4000, 20_000, 20_000]);
  });

  it("spreads the browsers out", () => {
    expect(retryDelayMs(4, 0.2)).not.toBe(retryDelayMs(4, 0.8));
  });
});
