import { expect, describe, it } from "vitest";
import { mapLimited } from "../../src/lib/map_limited";

describe("calls for items", () => {
  it("end with the first error", async () => {
    const run = () => Promise.reject(new Error("refused"));
    await expect(mapLimited([1, 2], 2, run)).rejects.toThrow("refused");
  });
  it("are few at a time, and keep their order", async () => {
    let running = 0;
    let most = 0;
    const results = await mapLimited([5, 1, 4, 2, 3], 2, async (each) => {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, each));
      running--;
      return 10 * each;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });
});
