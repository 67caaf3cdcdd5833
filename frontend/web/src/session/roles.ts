// Permissions of roles as far as pages show them. The server checks every call.
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

// Whether the administration pages are shown.
export function mayAdminister({ role }: Session): boolean {
  return role === Role.ADMIN || role === Role.SUPPORT;
}

// Whether the administration pages have buttons for changes.
export function mayChange({ role }: Session): boolean {
  return role === Role.ADMIN;
}
