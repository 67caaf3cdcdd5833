import { describe, expect, it } from "vitest";
import { retryDelayMs } from "../src/reconnect";

describe("the pauses between attempts", () => {
  it("double and then stay at twenty seconds", () => {
    const most = [0, 1, 2, 3, 6, 1000].map((n) => retryDelayMs(n, 1));
    expect(most).toEqual([500, 1000, 2000, 4000, 20_000, 20_000]);
  });

  it("are at least half of what they could be", () => {
    for (const attempt of [0, 1, 5, 20]) {
      expect(retryDelayMs(attempt, 0)).toBe(retryDelayMs(attempt, 1) / 2);
    }
  });
});
