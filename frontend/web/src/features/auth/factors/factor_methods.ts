// The methods to confirm a second factor, and their labels.
import { Factor } from "#proto/auth";
import { messages } from "#messages/auth";

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
  [Factor.PASSKEY]: messages.useYourPasskeyInstead,
  [Factor.TOTP]: messages.useYourAuthenticatorAppInstead,
  [Factor.RECOVERY]: messages.useARecoveryCode,
};

export const kMethodLabels: Record<FactorMethod, string> = {
  [Factor.PASSKEY]: messages.yourBrowserAsksForThe,
  [Factor.TOTP]: messages.enterTheSixDigitCodeFrom,
  [Factor.RECOVERY]: messages.enterOneOfYourRecovery,
};

export function kindLabels(kind: Factor): string {
  switch (kind) {
    case Factor.TOTP:
      return messages.authenticatorApp;
    case Factor.PASSKEY:
      return messages.passkey;
    case Factor.RECOVERY:
      return messages.recoveryCodes;
    default:
      return messages.unknownFactor;
  }
}
