// The roles of a site and the directory groups that grant them.
import type { RoleRule } from "#proto/admin";
import { Role } from "#proto/auth";
import { messages } from "#messages/admin";

export interface RoleEntry {
  readonly role: Role;
  readonly may: string;
  readonly groups: readonly string[];
}

const kMay: readonly (readonly [Role, string])[] = [
  [Role.USER, messages.mayOfUser],
  [Role.MANAGER, messages.mayOfManager],
  [Role.SUPPORT, messages.mayOfSupport],
  [Role.ADMIN, messages.mayOfAdmin],
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
  return role === Role.USER ? messages.everyoneWhoMayLogIn : messages.noUsers;
}
