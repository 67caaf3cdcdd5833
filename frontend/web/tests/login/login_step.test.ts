import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Factor, LoginResponseSchema } from "#proto/auth";
import { factorStep, sequelOf } from "../../src/login/login_step";

const answer = (fields: MessageInitShape<typeof LoginResponseSchema>) =>
  create(LoginResponseSchema, { challenge: "c", ...fields });
const app = { enrolment: { secret: "ABC" } };
const key = { passkeyEnrolment: { rpId: "example.org" } };
const failure = (code: Code) => ({ code, sentence: "no", requestId: "" });

describe("after the password", () => {
  it("an account with factors shows one", () => {
    const step = factorStep(answer({ factors: [Factor.TOTP] }), true);
    expect(step).toBe("prove");
  });

  it("an account without any chooses between what is allowed", () => {
    expect(factorStep(answer({ ...app, ...key }), true)).toBe("choose");
    expect(factorStep(answer(app), true)).toBe("enrol-totp");
    expect(factorStep(answer(key), true)).toBe("enrol-passkey");
  });

  it("a browser without passkeys is not offered one", () => {
    expect(factorStep(answer({ ...app, ...key }), false)).toBe("enrol-totp");
    expect(factorStep(answer(key), false)).toBe("no-way");
  });
});

describe("after a refusal", () => {
  it("the fifth wrong answer starts over, others do not", () => {
    const wrong = failure(Code.Unauthenticated);
    expect(sequelOf(wrong, 4, false)).toBe("again");
    expect(sequelOf(wrong, 5, false)).toBe("start-over");
  });

  it("a new password that is refused wants another, nothing else", () => {
    for (const code of [Code.FailedPrecondition, Code.InvalidArgument]) {
      expect(sequelOf(failure(code), 0, true)).toBe("new-password");
      expect(sequelOf(failure(code), 0, false)).toBe("again");
    }
  });

  it("a server that is away is asked again", () => {
    expect(sequelOf(failure(Code.Unavailable), 9, false)).toBe("again");
  });
});
