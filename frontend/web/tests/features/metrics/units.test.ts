import { describe, expect, it } from "vitest";
import {
  axisSteps,
  formatValue,
  unitOfName,
} from "../../../src/features/metrics/series/units";

describe("the text of a value", () => {
  it("is no number for a gap", () => {
    expect(formatValue("bytes", Number.NaN)).toBe("no value");
  });

  it("has three digits and the unit", () => {
    expect(formatValue("bytes", 1_610_612_736)).toBe("1.5 GiB");
    expect(formatValue("bytesPerSecond", 0)).toBe("0 B/s");
    expect(formatValue("cores", 1.9876)).toBe("1.99 cores");
    expect(formatValue("ratio", 0.3751)).toBe("37.5 %");
    expect(formatValue("hertz", 1_980_000_000)).toBe("1.98 GHz");
    expect(formatValue("number", 0.00012)).toBe("1.20e-4");
    expect(formatValue("number", 12_345)).toBe("12,345");
  });

  it("changes its unit before it shows 1024", () => {
    expect(formatValue("bytes", 1024 * 1024 - 1)).toBe("1 MiB");
  });
});

describe("the unit of a series", () => {
  it("is that of its name", () => {
    expect(unitOfName("carme_program_tokens_total")).toEqual({
      unit: "perSecond",
      isRate: true,
    });
    expect(unitOfName("carme_gpu_energy_joules_total")).toEqual({
      unit: "watts",
      isRate: true,
    });
    expect(unitOfName("carme_gpu_power_watts").unit).toBe("watts");
    expect(unitOfName("carme_program_loss").unit).toBe("number");
  });
});

describe("the steps of an axis", () => {
  it("are powers of two for bytes, and ascend", () => {
    expect(axisSteps("bytes").slice(0, 4)).toEqual([1, 2, 4, 8]);
    const steps = axisSteps("number");
    expect([...steps].sort((a, b) => a - b)).toEqual(steps);
  });
});
