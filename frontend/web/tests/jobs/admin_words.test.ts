import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AdminAction_Kind, AdminActionSchema } from "#proto/jobs";
import { adminNote } from "../../src/jobs/admin_words";

describe("an administrator's action", () => {
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
      "The administrator carol stopped this job: node maintenance",
    );
    expect(note(99)).toBe(
      "The administrator carol changed this job: node maintenance",
    );
  });
});
