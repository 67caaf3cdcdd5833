import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AuditEntrySchema } from "#proto/audit";
import {
  exportName,
  linesOf,
} from "../../../../src/features/admin/audit/audit_lines";

describe("the exported audit log", () => {
  it("has one JSON object per line", () => {
    const entries = ["line\nbreak", "<b>"].map((result, index) =>
      create(AuditEntrySchema, { sequence: BigInt(index + 1), result }),
    );
    const lines = linesOf(entries).split("\n");
    expect(lines.pop()).toBe("");
    const read = lines.map((line) => JSON.parse(line));
    expect(read).toEqual([
      { sequence: "1", result: "line\nbreak" },
      { sequence: "2", result: "<b>" },
    ]);
  });

  it("has the date in its file name", () => {
    const name = exportName(new Date(Date.UTC(2026, 10, 21)));
    expect(name).toBe("carme-audit-2026-11-21.jsonl");
  });
});
