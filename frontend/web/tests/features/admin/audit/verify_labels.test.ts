import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { VerifyAuditResponseSchema } from "#proto/audit";
import { verifyLabel } from "../../../../src/features/admin/audit/verify_labels";

describe("a verified audit log", () => {
  it("names the entry at which verification failed", () => {
    const answer = create(VerifyAuditResponseSchema, {
      good: false,
      entries: 12n,
      brokenAt: 12n,
    });
    expect(verifyLabel(answer)).toMatch(/failed at entry 12: .* 12 entries/);
  });

  it("shows the number of entries and the newest hash", () => {
    const head = new Uint8Array(32).fill(0xab);
    const answer = create(VerifyAuditResponseSchema, {
      good: true,
      entries: 1n,
      head,
    });
    expect(verifyLabel(answer)).toBe(
      "Verified: 1 entry was checked, no tampering found. Newest hash abababababababab….",
    );
  });
});
