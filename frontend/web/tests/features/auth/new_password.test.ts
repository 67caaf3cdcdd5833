import { describe, expect, it } from "vitest";
import { newPasswordError } from "../../../src/features/auth/new_password";

const parseError = (password: string, repeated: string) =>
  newPasswordError({ old: "the old one", password, repeated });

describe("a new password", () => {
  it("is not sent when it is empty, the old one, or mistyped", () => {
    expect(parseError("", "")).toMatch(/Enter/);
    expect(parseError("the old one", "the old one")).toMatch(
      /same as the current/,
    );
    expect(parseError("another", "anotherr")).toMatch(/do not match/);
  });

  it("is left to the server's rules otherwise", () => {
    expect(parseError("x", "x")).toBe("");
  });
});
