import { describe, expect, it } from "vitest";
import { Factor } from "#proto/auth";
import { factorMethods } from "../../../../src/features/auth/factors/factor_methods";

const all = [Factor.RECOVERY, Factor.TOTP, Factor.PASSKEY];

describe("factor methods", () => {
  it("start with the passkey and end with the recovery code", () => {
    expect(factorMethods(all, true)).toEqual([
      Factor.PASSKEY,
      Factor.TOTP,
      Factor.RECOVERY,
    ]);
  });

  it("exclude passkeys in browsers without support", () => {
    expect(factorMethods(all, false)).toEqual([Factor.TOTP, Factor.RECOVERY]);
  });

  it("exclude methods that the server rejects", () => {
    expect(factorMethods([Factor.TOTP], true)).toEqual([Factor.TOTP]);
    expect(factorMethods([], true)).toEqual([]);
  });
});
