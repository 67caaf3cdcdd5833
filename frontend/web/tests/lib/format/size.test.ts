import { describe, expect, it } from "vitest";
import { formatShare, formatSize } from "../../../src/lib/format/size";

const kGib = 1024 ** 3;

describe("a size", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1023 bytes"],
    [1536, "1.5 KiB"],
    [1024 ** 2 - 1, "1 MiB"],
    [50 * kGib, "50 GiB"],
    [123.4 * kGib, "123 GiB"],
    [2.5 * 1024 * kGib, "2.5 TiB"],
    [2 ** 64, "16 EiB"],
  ])("%d is %j", (bytes, text) => expect(formatSize(bytes)).toBe(text));

  it("uses one unit for both values", () => {
    expect(formatShare(12.34 * kGib, 50 * kGib)).toBe("12.3 of 50 GiB");
    expect(formatShare(0, 50 * kGib)).toBe("0 of 50 GiB");
    expect(formatShare(60 * kGib, 50 * kGib)).toBe("60 of 50 GiB");
  });

  it("keeps its own unit if very small", () => {
    expect(formatShare(20 * 1024 ** 2, 50 * kGib)).toBe("20 MiB of 50 GiB");
  });
});
