// The roles of a site with the groups of its directory that give them.
import type { RoleRule } from "#proto/admin";
import { Role } from "#proto/auth";

export interface RoleEntry {
  readonly role: Role;
  readonly may: string;
  readonly groups: readonly string[];
}

const kMay: readonly (readonly [Role, string])[] = [
  [Role.USER, "Start, open and stop their own jobs."],
  [
    Role.MANAGER,
    "As a user; see requested projects of others, and approve or refuse them.",
  ],
  [Role.SUPPORT, "Read everything here, change nothing of others."],
  [
    Role.ADMIN,
    "Read everything, reset second factors, end sessions. Enter nobody’s session.",
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

// A user is whoever may log in, where no group says otherwise.
export function withoutGroup(role: Role): string {
  return role === Role.USER ? "everybody who may log in" : "nobody";
}
