import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { AmountSchema, StorageAreaSchema } from "#proto/storage";
import {
  bytesLabel,
  filesLabel,
  levelOf,
  shareOf,
  warningOf,
} from "../../../src/features/dashboard/storage_labels";

const kGib = 1024n ** 3n;
const now = Date.UTC(2026, 10, 22, 12);

function amount(used: bigint, softLimit = 0n, limit = 0n) {
  return create(AmountSchema, { used, softLimit, limit });
}

function home(fields: object) {
  return create(StorageAreaSchema, { name: "Home", path: "/home", ...fields });
}

describe("an area of storage", () => {
  it("has no level if unreadable", () => {
    const area = home({ problem: "It does not answer." });
    expect(levelOf(area)).toBe("unknown");
    expect(bytesLabel(area)).toBe("");
    expect(warningOf(area, now)).toBe("");
  });

  it("is measured against the soft limit", () => {
    const area = home({ bytes: amount(12n * kGib, 50n * kGib, 60n * kGib) });
    expect(bytesLabel(area)).toBe("12 of 50 GiB");
    expect(shareOf(area.bytes)).toBeCloseTo(0.24);
    expect(levelOf(area)).toBe("fine");
  });

  it("without a limit is not full", () => {
    const area = home({ bytes: amount(12n * kGib) });
    expect(bytesLabel(area)).toBe("12 GiB used");
    expect(shareOf(area.bytes)).toBeUndefined();
    expect(levelOf(area)).toBe("fine");
  });

  it("is tight from 80 % of bytes or files", () => {
    expect(levelOf(home({ bytes: amount(79n, 0n, 100n) }))).toBe("fine");
    expect(levelOf(home({ bytes: amount(80n, 0n, 100n) }))).toBe("tight");
    const files = { bytes: amount(1n), files: amount(95n, 0n, 100n) };
    expect(levelOf(home(files))).toBe("tight");
  });

  it("reaches the limit and exceeds the soft limit", () => {
    expect(levelOf(home({ bytes: amount(100n, 0n, 100n) }))).toBe("over");
    expect(levelOf(home({ bytes: amount(50n, 50n, 100n) }))).toBe("tight");
    expect(levelOf(home({ bytes: amount(51n, 50n, 100n) }))).toBe("over");
  });

  it("shows the end of the grace period", () => {
    const bytes = amount(51n * kGib, 50n * kGib, 60n * kGib);
    const in30h = timestampFromMs(now + 30.5 * 3600_000);
    expect(warningOf(home({ bytes, graceEnds: in30h }), now)).toMatch(
      /^Home is full: 51 of 50 GiB\. Delete files by .+ \(in 1 d 6 h\)\. After that/,
    );
    const in5m = timestampFromMs(now + 5 * 60_000);
    expect(warningOf(home({ bytes, graceEnds: in5m }), now)).toMatch(
      /in 5 min\)/,
    );
    const gone = timestampFromMs(now - 1000);
    expect(warningOf(home({ bytes, graceEnds: gone }), now)).toMatch(
      /The grace period has ended/,
    );
  });

  it("explains what to do when full", () => {
    const bytes = amount(50n * kGib, 0n, 50n * kGib);
    expect(warningOf(home({ bytes }), now)).toBe(
      "Home is full: 50 of 50 GiB. You cannot write to it until you delete files.",
    );
    expect(warningOf(home({ bytes, shared: true }), now)).toMatch(
      /No user can write to it/,
    );
    const unwatched = amount(51n * kGib, 50n * kGib, 60n * kGib);
    expect(warningOf(home({ bytes: unwatched }), now)).toBe(
      "Home is full: 51 of 50 GiB. Delete files to free space.",
    );
  });

  it("shows files of the user or when nearly full", () => {
    const files = amount(1200n, 0n, 2000n);
    const bytes = amount(1n);
    expect(filesLabel(home({ bytes, files }))).toBe("1,200 of 2,000 files");
    expect(filesLabel(home({ bytes, files, shared: true }))).toBe("");
    const short = amount(1900n, 0n, 2000n);
    expect(filesLabel(home({ bytes, files: short, shared: true }))).toBe(
      "1,900 of 2,000 files",
    );
    expect(filesLabel(home({ bytes, files: amount(5n) }))).toBe("");
  });
});
