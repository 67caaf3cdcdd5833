import { describe, expect, it } from "vitest";
import {
  areaOf,
  hrefOf,
  kPaths,
  parseRoute,
  type PlainPage,
  userHref,
} from "../../src/routes/route";

const kPlain = Object.keys(kPaths) as PlainPage[];

describe("an address", () => {
  it("that means nothing leads to no page", () => {
    for (const hash of ["#/nowhere", "#/admin", "#/admin/users/", "#//"]) {
      expect(parseRoute(hash).page).toBe("unknown");
    }
  });

  it("with broken percent-encoding leads to no page", () => {
    expect(parseRoute("#/admin/users/%E0%A4%A").page).toBe("unknown");
  });

  it("leads back to the page that wrote it", () => {
    for (const page of kPlain) {
      expect(parseRoute(hrefOf(page)).page).toBe(page);
    }
  });

  it("that is empty, or a place on the page of work, is work", () => {
    for (const hash of ["", "#", "#start", "#/"]) {
      expect(parseRoute(hash).page).toBe("dashboard");
    }
  });

  it("of a user carries a name of any characters", () => {
    for (const name of ["ada", "o'brien", "a/b?c#d", "Jürgen"]) {
      expect(parseRoute(userHref(name))).toMatchObject({
        page: "user",
        username: name,
      });
    }
  });

  it("carries a query of its page", () => {
    const route = parseRoute(hrefOf("audit", "actor=ada&text=a%3Fb"));
    expect(route.page).toBe("audit");
    expect(route.query).toBe("actor=ada&text=a%3Fb");
  });
});

describe("an area", () => {
  it("is administration for what only support and administrators see", () => {
    expect(areaOf(parseRoute(userHref("ada")))).toBe("admin");
    expect(areaOf(parseRoute(hrefOf("audit")))).toBe("admin");
  });

  it("is the account for one's own pages", () => {
    expect(areaOf(parseRoute(hrefOf("tokens")))).toBe("account");
  });
});
