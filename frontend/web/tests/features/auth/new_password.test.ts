import { describe, expect, it } from "vitest";
import { newPasswordMistake } from "../../../src/features/auth/new_password";

const mistake = (password: string, repeated: string) =>
  newPasswordMistake({ old: "the old one", password, repeated });

describe("a new password", () => {
  it("is not sent when it is empty, the old one, or mistyped", () => {
    expect(mistake("", "")).toMatch(/Enter/);
    expect(mistake("the old one", "the old one")).toMatch(/old one/);
    expect(mistake("another", "anotherr")).toMatch(/not the same/);
  });

  it("is left to the server's rules otherwise", () => {
    expect(mistake("x", "x")).toBe("");
  });
});
