import { describe, expect, it } from "vitest";
import {
  formatSinceStart,
  kTimesSinceStart,
} from "../../../src/features/metrics/plot/time_axis";

describe("a time since a job's start", () => {
  it("has hours only if there are", () => {
    expect(formatSinceStart(0)).toBe("0:00");
    expect(formatSinceStart(65_000)).toBe("1:05");
    expect(formatSinceStart(3_909_000)).toBe("1:05:09");
    expect(formatSinceStart(90_000_000)).toBe("25:00:00");
  });

  it("is a duration for programs", () => {
    expect(kTimesSinceStart.machine(65_000)).toBe("PT65S");
  });
});
