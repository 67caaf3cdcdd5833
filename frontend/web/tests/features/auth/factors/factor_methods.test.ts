import { describe, expect, it } from "vitest";
import { Factor } from "#proto/auth";
import { factorMethods } from "../../../../src/features/auth/factors/factor_methods";

const all = [Factor.RECOVERY, Factor.TOTP, Factor.PASSKEY];

describe("the ways to show a factor", () => {
  it("begin with the passkey and end with the recovery code", () => {
    expect(factorMethods(all, true)).toEqual([
      Factor.PASSKEY,
      Factor.TOTP,
      Factor.RECOVERY,
    ]);
  });

  it("leave the passkey out where the browser has none", () => {
    expect(factorMethods(all, false)).toEqual([Factor.TOTP, Factor.RECOVERY]);
  });

  it("leave out what the server does not accept", () => {
    expect(factorMethods([Factor.TOTP], true)).toEqual([Factor.TOTP]);
    expect(factorMethods([], true)).toEqual([]);
  });
});
