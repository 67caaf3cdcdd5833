import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatMib,
  parseMib,
} from "../../../src/lib/format/memory";

describe("memory", () => {
  it.each(["", "lots", "0", "-4", "4 GiG", "1 2"])("is refused: %j", (text) =>
    expect(parseMib(text)).toBeUndefined(),
  );

  it.each([
    ["64", 65_536],
    ["64 GiB", 65_536],
    ["64g", 65_536],
    ["1,5", 1536],
    ["512 MiB", 512],
    ["2 T", 2_097_152],
  ])("is understood: %j", (text, mib) => expect(parseMib(text)).toBe(mib));

  it("is shown in GiB from 1 GiB on", () => {
    expect(formatMib(500)).toBe("500 MiB");
    expect(formatMib(1536)).toBe("1.5 GiB");
    expect(formatMib(65_536)).toBe("64 GiB");
  });
});

describe("the size of a log", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [65_536, "64 KiB"],
    [1_572_864, "1.5 MiB"],
    [16 * 1024 * 1024, "16 MiB"],
  ])("%d is %j", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
