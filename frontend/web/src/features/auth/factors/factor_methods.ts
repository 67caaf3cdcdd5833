// The methods to confirm a second factor, and their labels.
import { Factor } from "#proto/auth";

export type FactorMethod = Factor.PASSKEY | Factor.TOTP | Factor.RECOVERY;

// In the order of the dialog.
const kMethods: readonly FactorMethod[] = [
  Factor.PASSKEY,
  Factor.TOTP,
  Factor.RECOVERY,
];

// The methods that the server accepts and this browser supports. `passkeys`:
// whether both support passkeys.
export function factorMethods(
  accepted: readonly Factor[],
  passkeys: boolean,
): readonly FactorMethod[] {
  return kMethods.filter(
    (method) =>
      accepted.includes(method) && (method !== Factor.PASSKEY || passkeys),
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
  [Factor.TOTP]: "Enter the six-digit code from your authenticator app.",
  [Factor.RECOVERY]: "Enter one of your recovery codes. Each code works once.",
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
      return "Unknown factor";
  }
}
