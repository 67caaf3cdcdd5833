// Which step of the log-in comes after the password, and after a refusal.
import { Code } from "@connectrpc/connect";
import type { FactorFirst, LoginResponse } from "#proto/auth";
import type { Failure } from "../../../api/failure";
import { kMaxTries } from "../factors/code";
import type { FactorProof } from "../factors/factor_proof";
import { formatMinutes } from "../../../lib/format/duration";

export type FactorStep =
  | "proved" // it came before the password
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
  if (answer.factorProved) return "proved";
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
  if (failure.code === Code.Unauthenticated && tries >= kMaxTries) {
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

// What Login takes of a factor that comes before the password.
export function earlyProof(question: FactorFirst, proof: FactorProof) {
  const passkeyChallenge = question.passkeyRequest?.challenge;
  if (!("passkey" in proof) || !passkeyChallenge) return proof;
  return { ...proof, passkeyChallenge };
}

// After a refused one: a passkey's question is answered once, and a new one
// comes with the password.
export function sequelOfEarly(failure: Failure, proof: FactorProof): Sequel {
  const spent = failure.code === Code.Unauthenticated && "passkey" in proof;
  return spent ? "start-over" : "again";
}

// The same for every name, there or not.
export function whyFactorFirst({ waitS }: FactorFirst): string {
  const minutes = Math.max(1, Math.ceil(Number(waitS) / 60));
  return (
    "There were too many wrong passwords for this name, so somebody may have " +
    "been guessing. For now a password is looked at only after a second " +
    `factor. Without one, try again in ${formatMinutes(minutes)}.`
  );
}
