// The ways to show a second factor, and their words.
import { Factor } from "#proto/auth";

export type FactorMethod = Factor.PASSKEY | Factor.TOTP | Factor.RECOVERY;

// In the order in which they are offered.
const kWays: readonly FactorMethod[] = [
  Factor.PASSKEY,
  Factor.TOTP,
  Factor.RECOVERY,
];

// What the server accepts and this browser can show. `passkeys`: whether both
// have what a passkey needs.
export function factorMethods(
  accepted: readonly Factor[],
  passkeys: boolean,
): readonly FactorMethod[] {
  return kWays.filter(
    (way) => accepted.includes(way) && (way !== Factor.PASSKEY || passkeys),
  );
}

export const kSwitchLabels: Record<FactorMethod, string> = {
  [Factor.PASSKEY]: "Use your passkey instead",
  [Factor.TOTP]: "Use your authenticator app instead",
  [Factor.RECOVERY]: "Use a recovery code",
};

export const kMethodLabels: Record<FactorMethod, string> = {
  [Factor.PASSKEY]:
    "Your browser asks for the passkey or security key of this account.",
  [Factor.TOTP]:
    "Enter the six digits that your authenticator app shows for Carme.",
  [Factor.RECOVERY]:
    "Enter one of the recovery codes you kept. Each works once.",
};

export function kindLabels(kind: Factor): string {
  switch (kind) {
    case Factor.TOTP:
      return "Authenticator app";
    case Factor.PASSKEY:
      return "Passkey";
    case Factor.RECOVERY:
      return "Recovery codes";
    default:
      return "Unknown kind";
  }
}
