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
  it("is unknown if invalid", () => {
    for (const hash of ["#/nowhere", "#/admin", "#/admin/users/", "#//"]) {
      expect(parseRoute(hash).page).toBe("unknown");
    }
  });

  it("is unknown with broken percent-encoding", () => {
    expect(parseRoute("#/admin/users/%E0%A4%A").page).toBe("unknown");
  });

  it("round-trips", () => {
    for (const page of kPlain) {
      expect(parseRoute(hrefOf(page)).page).toBe(page);
    }
  });

  it("is the dashboard if empty or a plain fragment", () => {
    for (const hash of ["", "#", "#start", "#/"]) {
      expect(parseRoute(hash).page).toBe("dashboard");
    }
  });

  it("encodes any user name", () => {
    for (const name of ["ada", "o'brien", "a/b?c#d", "Jürgen"]) {
      expect(parseRoute(userHref(name))).toMatchObject({
        page: "user",
        username: name,
      });
    }
  });

  it("carries a query", () => {
    const route = parseRoute(hrefOf("audit", "actor=ada&text=a%3Fb"));
    expect(route.page).toBe("audit");
    expect(route.query).toBe("actor=ada&text=a%3Fb");
  });
});

describe("an area", () => {
  it("is admin for administration pages", () => {
    expect(areaOf(parseRoute(userHref("ada")))).toBe("admin");
    expect(areaOf(parseRoute(hrefOf("audit")))).toBe("admin");
  });

  it("is account for account pages", () => {
    expect(areaOf(parseRoute(hrefOf("tokens")))).toBe("account");
  });
});
