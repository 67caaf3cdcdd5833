import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { CertificateHealthSchema } from "#proto/admin";
import { certificateLabel } from "../../../src/features/admin/certificate_labels";

const day = 24 * 60 * 60_000;
const now = Date.UTC(2026, 10, 21);
const label = (days: number, soon = false) => {
  const notAfter = timestampFromMs(now + days * day);
  const health = create(CertificateHealthSchema, { notAfter, soon });
  return certificateLabel(health, now);
};

describe("a certificate", () => {
  it("is labelled expired", () => {
    expect(label(-1)).toEqual({ tone: "bad", text: "expired" });
  });

  it("warns when the server warns", () => {
    expect(label(12, true)).toEqual({ tone: "wait", text: "12 days left" });
    expect(label(12)).toEqual({ tone: "good", text: "12 days left" });
  });

  it("counts whole days", () => {
    expect(label(0.5, true).text).toBe("less than a day left");
    expect(label(1.9, true).text).toBe("1 day left");
  });
});
