import { describe, expect, it } from "vitest";
import { retryDelayMs } from "../../src/api/reconnect";

const kAlmostOne = 0.999999;

describe("the reconnect policy", () => {
  it("retries within half a second at first", () => {
    expect(retryDelayMs(0, kAlmostOne)).toBeLessThanOrEqual(500);
  });

  it("waits at least half of the maximum", () => {
    for (const attempt of [0, 1, 5, 20]) {
      const max = retryDelayMs(attempt, 1);
      expect(retryDelayMs(attempt, 0)).toBe(max / 2);
    }
  });

  it("doubles up to twenty seconds", () => {
    const max = [0, 1, 2, 3, 6, 1000].map((n) => retryDelayMs(n, 1));
    expect(max).toEqual([500, 1000, 2000, 4000, 20_000, 20_000]);
  });

  it("adds jitter", () => {
    expect(retryDelayMs(4, 0.2)).not.toBe(retryDelayMs(4, 0.8));
  });
});
