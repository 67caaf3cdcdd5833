import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AdminAction_Kind, AdminActionSchema, JobSchema } from "#proto/jobs";
import {
  adminNote,
  isHeldByAdmin,
} from "../../../src/features/jobs/admin_labels";

describe("an administrator's action", () => {
  it("holds a job until an administrator releases it", () => {
    const job = (held: boolean, ...kinds: AdminAction_Kind[]) =>
      create(JobSchema, {
        held,
        adminActions: kinds.map((kind) => ({ kind })),
      });
    const { HOLD, RELEASE, READ_LOG } = AdminAction_Kind;
    expect(isHeldByAdmin(job(true))).toBe(false);
    expect(isHeldByAdmin(job(false, HOLD))).toBe(false);
    expect(isHeldByAdmin(job(true, HOLD, RELEASE))).toBe(false);
    expect(isHeldByAdmin(job(true, HOLD, READ_LOG))).toBe(true);
  });

  it("names the administrator and the reason", () => {
    const note = (kind: number) =>
      adminNote(
        create(AdminActionSchema, {
          kind,
          administrator: "carol",
          reason: "node maintenance",
        }),
      );
    expect(note(AdminAction_Kind.STOP)).toBe(
      "Administrator carol stopped this job: node maintenance",
    );
    expect(note(99)).toBe(
      "Administrator carol changed this job: node maintenance",
    );
  });
});
