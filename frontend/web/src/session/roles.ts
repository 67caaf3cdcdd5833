// What a role means for the pages. The server decides every call by itself.
import { Role, type Session } from "#proto/auth";

const kLabels: Record<Role, string> = {
  [Role.UNSPECIFIED]: "none",
  [Role.USER]: "user",
  [Role.MANAGER]: "manager",
  [Role.SUPPORT]: "support",
  [Role.ADMIN]: "admin",
};

export function roleLabel(role: Role): string {
  return kLabels[role] ?? "unknown";
}

// Whether the pages of the administration are shown.
export function mayAdminister({ role }: Session): boolean {
  return role === Role.ADMIN || role === Role.SUPPORT;
}

// Whether they have buttons that change something.
export function mayChange({ role }: Session): boolean {
  return role === Role.ADMIN;
}
