// Selects the next step of the login after the password or after a rejected
// factor.
import { Code } from "@connectrpc/connect";
import type { FactorFirst, LoginResponse } from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { kMaxTries } from "../factors/code";
import type { FactorProof } from "../factors/factor_proof";
import { formatMinutes } from "../../../lib/format/duration";
import { messages } from "#messages/auth";

export type FactorStep =
  | "proved" // confirmed before the password
  | "prove" // a factor that the account has
  | "choose" // select the first kind to enroll
  | "enrol-totp"
  | "enrol-passkey"
  | "no-way"; // only passkeys are allowed, and this browser does not support them

export function factorStep(
  answer: LoginResponse,
  passkeys: boolean, // the browser supports passkeys
): FactorStep {
  const { enrolment, passkeyEnrolment } = answer;
  if (answer.factorProved) return "proved";
  if (!enrolment && !passkeyEnrolment) return "prove";
  if (!passkeyEnrolment || !passkeys)
    return enrolment ? "enrol-totp" : "no-way";
  return enrolment ? "choose" : "enrol-passkey";
}

export type NextStep = "again" | "start-over" | "new-password";

// The next step after `tries` rejected VerifyFactor calls of a challenge. The
// challenge expires with the fifth one; the server's error is the same each
// time.
export function nextStepAfter(
  failure: Failure,
  tries: number,
  sentNewPassword: boolean,
): NextStep {
  if (failure.code === Code.Unauthenticated && tries >= kMaxTries) {
    return "start-over";
  }
  return kPasswordRefused.has(failure.code) && sentNewPassword
    ? "new-password"
    : "again";
}

// The factor was accepted and is not requested again.
const kPasswordRefused: ReadonlySet<Code> = new Set([
  Code.InvalidArgument, // rejected by the site's rules
  Code.FailedPrecondition, // rejected by the directory
]);

// The factor fields of a Login request with the factor first.
export function earlyProof(question: FactorFirst, proof: FactorProof) {
  const passkeyChallenge = question.passkeyRequest?.challenge;
  if (!("passkey" in proof) || !passkeyChallenge) return proof;
  return { ...proof, passkeyChallenge };
}

// The next step after a rejected factor. A passkey challenge can be answered
// once; the password step returns a new one.
export function nextStepAfterEarlyFactor(
  failure: Failure,
  proof: FactorProof,
): NextStep {
  const spent = failure.code === Code.Unauthenticated && "passkey" in proof;
  return spent ? "start-over" : "again";
}

// The same text for every name, also for unknown ones.
export function factorFirstReason({ waitS }: FactorFirst): string {
  const minutes = Math.max(1, Math.ceil(Number(waitS) / 60));
  return messages.tooManyWrongPasswords({ wait: formatMinutes(minutes) });
}
