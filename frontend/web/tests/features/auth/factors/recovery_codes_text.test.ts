import { describe, expect, it } from "vitest";
import { recoveryCodesText } from "../../../../src/features/auth/factors/recovery_codes_text";

describe("the text of recovery codes", () => {
  it("has user, date and one code per line", () => {
    const owner = { username: "ada", host: "carme.example.org" };
    const made = new Date(2026, 10, 21).getTime();
    const lines = recoveryCodesText(["a-1", "b-2"], owner, made).split("\n");
    expect(lines[0]).toBe("Carme recovery codes of ada at carme.example.org");
    expect(lines[1]).toContain("21 Nov 2026");
    expect(lines.slice(-3)).toEqual(["a-1", "b-2", ""]);
  });
});
