// Permissions of roles as far as pages show them. The server checks every call.
import { Role, type Session } from "#proto/auth";
import { messages } from "#messages/session";

const kLabels: Record<Role, string> = {
  [Role.UNSPECIFIED]: messages.none,
  [Role.USER]: messages.user,
  [Role.MANAGER]: messages.manager,
  [Role.SUPPORT]: messages.support,
  [Role.ADMIN]: messages.admin,
};

export function roleLabel(role: Role): string {
  return kLabels[role] ?? messages.unknown;
}

// Whether the administration pages are shown.
export function mayAdminister({ role }: Session): boolean {
  return role === Role.ADMIN || role === Role.SUPPORT;
}

// Whether the administration pages have buttons for changes.
export function mayChange({ role }: Session): boolean {
  return role === Role.ADMIN;
}
