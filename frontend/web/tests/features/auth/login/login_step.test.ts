import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Factor, FactorFirstSchema, LoginResponseSchema } from "#proto/auth";
import {
  earlyProof,
  factorStep,
  nextStepAfter,
  nextStepAfterEarlyFactor,
  factorFirstReason,
} from "../../../../src/features/auth/login/login_step";

const answer = (fields: MessageInitShape<typeof LoginResponseSchema>) =>
  create(LoginResponseSchema, { challenge: "c", ...fields });
const app = { enrolment: { secret: "ABC" } };
const key = { passkeyEnrolment: { rpId: "example.org" } };
const failure = (code: Code) => ({ code, sentence: "no", requestId: "" });

describe("after the password", () => {
  it("asks an account with factors for one", () => {
    const step = factorStep(answer({ factors: [Factor.TOTP] }), true);
    expect(step).toBe("prove");
  });

  it("lets an account without factors choose", () => {
    expect(factorStep(answer({ ...app, ...key }), true)).toBe("choose");
    expect(factorStep(answer(app), true)).toBe("enrol-totp");
    expect(factorStep(answer(key), true)).toBe("enrol-passkey");
  });

  it("does not offer passkeys without browser support", () => {
    expect(factorStep(answer({ ...app, ...key }), false)).toBe("enrol-totp");
    expect(factorStep(answer(key), false)).toBe("no-way");
  });
});

describe("a factor before the password", () => {
  const challenge = new Uint8Array([1, 2]);
  const question = create(FactorFirstSchema, {
    factors: [Factor.TOTP, Factor.PASSKEY, Factor.RECOVERY],
    passkeyRequest: { challenge },
    waitS: 1741n,
  });
  const passkey = { credentialId: new Uint8Array([7]) };

  it("has a text that reveals nothing about the account", () => {
    expect(factorFirstReason(question)).toMatch(/too many wrong passwords for/);
    expect(factorFirstReason(question)).toMatch(/try again in 30 min\.$/);
    const soon = create(FactorFirstSchema, { waitS: 0n });
    expect(factorFirstReason(soon)).toMatch(/try again in 1 min\.$/);
  });

  it("sends a passkey with its challenge", () => {
    expect(earlyProof(question, { passkey })).toEqual({
      passkey,
      passkeyChallenge: challenge,
    });
    expect(earlyProof(question, { totp: "1" })).toEqual({ totp: "1" });
  });

  it("starts over after a rejected passkey", () => {
    const wrong = failure(Code.Unauthenticated);
    expect(nextStepAfterEarlyFactor(wrong, { passkey })).toBe("start-over");
    expect(nextStepAfterEarlyFactor(wrong, { totp: "1" })).toBe("again");
    expect(nextStepAfterEarlyFactor(wrong, { recoveryCode: "A" })).toBe(
      "again",
    );
    const away = failure(Code.Unavailable);
    expect(nextStepAfterEarlyFactor(away, { passkey })).toBe("again");
  });

  it("is not asked for again", () => {
    const proved = answer({ factorProved: true, passwordMustChange: true });
    expect(factorStep(proved, true)).toBe("proved");
  });
});

describe("after a rejection", () => {
  it("starts over after the fifth wrong code", () => {
    const wrong = failure(Code.Unauthenticated);
    expect(nextStepAfter(wrong, 4, false)).toBe("again");
    expect(nextStepAfter(wrong, 5, false)).toBe("start-over");
  });

  it("asks for another password after a rejected one", () => {
    for (const code of [Code.FailedPrecondition, Code.InvalidArgument]) {
      expect(nextStepAfter(failure(code), 0, true)).toBe("new-password");
      expect(nextStepAfter(failure(code), 0, false)).toBe("again");
    }
  });

  it("retries an unavailable server", () => {
    expect(nextStepAfter(failure(Code.Unavailable), 9, false)).toBe("again");
  });
});
