import { describe, expect, it } from "vitest";
import { parseHelpLinks } from "../../src/lib/help_links";

describe("the links of the help menu", () => {
  it("are nothing but a page of the web and a mail address", () => {
    for (const documentation of [
      "",
      "http://docs.test/",
      "javascript:alert(1)",
      "https://",
      'https://docs.test/" onclick="',
      "https://docs.test/ x",
    ]) {
      expect(parseHelpLinks(documentation, "").documentation).toBe("");
    }
    for (const support of [
      "",
      "support",
      "a b@docs.test",
      "a@docs.test?bcc=b@docs.test",
      "a%0a@docs.test",
      "a&b@docs.test",
    ]) {
      expect(parseHelpLinks("", support).support).toBe("");
    }
  });

  it("are those of the site", () => {
    expect(
      parseHelpLinks("https://docs.test/carme?v=1#start", "help+gpu@docs.test"),
    ).toEqual({
      documentation: "https://docs.test/carme?v=1#start",
      support: "help+gpu@docs.test",
    });
  });
});
