// What a person shows as the second factor, as VerifyFactor and
// FinishReauthentication take it.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PasskeyAssertionSchema } from "#proto/auth";

export type FactorProof =
  | { totp: string }
  | { passkey: MessageInitShape<typeof PasskeyAssertionSchema> }
  | { recoveryCode: string };
