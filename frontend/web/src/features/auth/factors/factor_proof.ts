// The proof of a second factor, as VerifyFactor and FinishReauthentication
// accept it.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PasskeyAssertionSchema } from "#proto/auth";

export type FactorProof =
  | { totp: string }
  | { passkey: MessageInitShape<typeof PasskeyAssertionSchema> }
  | { recoveryCode: string };
