// Which step of the log-in comes after the password, and after a refusal.
import { Code } from "@connectrpc/connect";
import type { LoginResponse } from "#proto/auth";
import type { Failure } from "../api/failure";
import { kMostTries } from "../factors/code";

export type FactorStep =
  | "prove" // a factor that the account has
  | "choose" // which kind to enrol first
  | "enrol-totp"
  | "enrol-passkey"
  | "no-way"; // only passkeys are allowed, and this browser has none

export function factorStep(
  answer: LoginResponse,
  passkeys: boolean, // the browser has them
): FactorStep {
  const { enrolment, passkeyEnrolment } = answer;
  if (!enrolment && !passkeyEnrolment) return "prove";
  if (!passkeyEnrolment || !passkeys)
    return enrolment ? "enrol-totp" : "no-way";
  return enrolment ? "choose" : "enrol-passkey";
}

export type Sequel = "again" | "start-over" | "new-password";

// After the `tries`-th refused VerifyFactor of a challenge. It dies with the
// fifth wrong answer, which the server does not tell from the others.
export function sequelOf(
  failure: Failure,
  tries: number,
  sentNewPassword: boolean,
): Sequel {
  if (failure.code === Code.Unauthenticated && tries >= kMostTries) {
    return "start-over";
  }
  return kPasswordRefused.has(failure.code) && sentNewPassword
    ? "new-password"
    : "again";
}

// The factor was right then, and is not asked for again.
const kPasswordRefused: ReadonlySet<Code> = new Set([
  Code.InvalidArgument, // by the site's rules
  Code.FailedPrecondition, // by the directory
]);
