import { describe, expect, it } from "vitest";
import { newPasswordError } from "../../../src/features/auth/new_password";

const parseError = (password: string, repeated: string) =>
  newPasswordError({ old: "the old one", password, repeated });

describe("a new password", () => {
  it("is rejected if empty, unchanged or mistyped", () => {
    expect(parseError("", "")).toMatch(/Enter/);
    expect(parseError("the old one", "the old one")).toMatch(
      /same as the current/,
    );
    expect(parseError("another", "anotherr")).toMatch(/do not match/);
  });

  it("is otherwise checked by the server", () => {
    expect(parseError("x", "x")).toBe("");
  });
});
