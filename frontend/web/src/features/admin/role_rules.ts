// The roles of a site, what they may do, and the directory groups that grant
// them.
import type { RoleRule } from "#proto/admin";
import { Role } from "#proto/auth";
import { messages } from "#messages/admin";

export interface RoleEntry {
  readonly role: Role;
  readonly groups: readonly string[];
}

export const kRoles = [
  Role.USER,
  Role.MANAGER,
  Role.SUPPORT,
  Role.ADMIN,
] as const;

export interface Permission {
  readonly text: string;
  readonly roles: readonly Role[]; // that have it
}

const kOfSupport = [Role.SUPPORT, Role.ADMIN];
const kOfAdmin = [Role.ADMIN];

// As the access rules of the server's methods.
export const kPermissions: readonly Permission[] = [
  { text: messages.mayUseJobs, roles: kRoles },
  { text: messages.mayUseProjects, roles: kRoles },
  { text: messages.mayDecideProjects, roles: [Role.MANAGER, Role.ADMIN] },
  { text: messages.maySeeAll, roles: kOfSupport },
  { text: messages.maySeeAudit, roles: kOfSupport },
  { text: messages.mayActOnJobs, roles: kOfAdmin },
  { text: messages.mayActOnNodes, roles: kOfAdmin },
  { text: messages.mayChangeLimits, roles: kOfAdmin },
  { text: messages.mayAnnounce, roles: kOfAdmin },
  { text: messages.mayResetUsers, roles: kOfAdmin },
  { text: messages.mayOpenAppsOfOthers, roles: [] },
];

export function roleEntries(rules: readonly RoleRule[]): RoleEntry[] {
  return kRoles.map((role) => ({
    role,
    groups: rules
      .filter((rule) => rule.role === role)
      .map(({ group }) => group),
  }));
}

// Without a configured group, everyone who may log in is a user.
export function withoutGroup(role: Role): string {
  return role === Role.USER ? messages.everyoneWhoMayLogIn : messages.noUsers;
}
