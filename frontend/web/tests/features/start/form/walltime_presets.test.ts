import { describe, expect, it } from "vitest";
import { walltimePresets } from "../../../../src/features/start/form/walltime_presets";

describe("the offered walltimes", () => {
  it("never exceed the user's limit", () => {
    expect(walltimePresets(100)).toEqual([30, 60, 100]);
    expect(walltimePresets(10)).toEqual([10]);
  });

  it("end with the limit", () => {
    expect(walltimePresets(480)).toEqual([30, 60, 120, 240, 480]);
    expect(walltimePresets(2880).slice(-1)).toEqual([2880]);
  });

  it("are the common values without a limit", () => {
    expect(walltimePresets(0)).toEqual([30, 60, 120, 240, 480]);
  });
});
