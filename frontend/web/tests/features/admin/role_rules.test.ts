import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { RoleRuleSchema } from "#proto/admin";
import { Role } from "#proto/auth";
import {
  roleEntries,
  withoutGroup,
} from "../../../src/features/admin/role_rules";

describe("the roles", () => {
  it("are all listed, also those without a group", () => {
    const rules = ["students", "staff"].map((group) =>
      create(RoleRuleSchema, { role: Role.USER, group }),
    );
    const groups = roleEntries(rules).map((entry) => entry.groups);
    expect(groups).toEqual([["students", "staff"], [], [], []]);
  });

  it("are explained without a group", () => {
    expect(withoutGroup(Role.USER)).toMatch(/everyone/);
    expect(withoutGroup(Role.ADMIN)).toBe("no users");
  });
});
