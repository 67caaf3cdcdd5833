import { describe, expect, it } from "vitest";
import {
  formatFixed,
  formatMeasured,
  formatNumber,
  formatPlain,
} from "../../../src/lib/format/number";

describe("a number", () => {
  it("groups thousands", () => {
    expect(formatNumber(1234567)).toBe("1,234,567");
    expect(formatNumber(1234567n)).toBe("1,234,567");
  });

  it("is not grouped as an ID", () => {
    expect(formatPlain(1234567)).toBe("1234567");
  });

  it("has a fixed number of digits", () => {
    expect(formatFixed(2, 1)).toBe("2.0");
  });

  it("has three significant digits as a measured value", () => {
    expect(formatMeasured(0.012345)).toBe("0.0123");
    expect(formatMeasured(1234.5)).toBe("1,235");
    expect(formatMeasured(0.00099999)).toBe("0.001");
    expect(formatMeasured(1.5e9)).toBe("1.50e+9");
  });
});
