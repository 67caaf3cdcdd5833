// The roles of a site and the directory groups that grant them.
import type { RoleRule } from "#proto/admin";
import { Role } from "#proto/auth";

export interface RoleEntry {
  readonly role: Role;
  readonly may: string;
  readonly groups: readonly string[];
}

const kMay: readonly (readonly [Role, string])[] = [
  [Role.USER, "Start, open and stop own jobs."],
  [
    Role.MANAGER,
    "All permissions of a user. See project requests of others, approve or reject them.",
  ],
  [Role.SUPPORT, "Read-only access to all users' data."],
  [
    Role.ADMIN,
    "Read-only access to all users' data, reset second factors, end sessions. No access to other users' apps.",
  ],
];

export function roleEntries(rules: readonly RoleRule[]): RoleEntry[] {
  return kMay.map(([role, may]) => ({
    role,
    may,
    groups: rules
      .filter((rule) => rule.role === role)
      .map(({ group }) => group),
  }));
}

// Without a configured group, everyone who may log in is a user.
export function withoutGroup(role: Role): string {
  return role === Role.USER ? "everyone who may log in" : "no users";
}
