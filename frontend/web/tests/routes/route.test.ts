import { describe, expect, it } from "vitest";
import {
  areaOf,
  hrefOf,
  jobHref,
  kPaths,
  nodeHref,
  parseRoute,
  type PlainPage,
  userHref,
  userPreviewHref,
} from "../../src/routes/route";

const kPlain = Object.keys(kPaths) as PlainPage[];

describe("an address", () => {
  it("is unknown if invalid", () => {
    for (const hash of [
      "#/nowhere",
      "#/admin",
      "#/admin/users/",
      "#//",
      "#/jobs/",
      "#/jobs/a/b",
      "#/jobs/A",
    ]) {
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

  it("has the name of a node", () => {
    const route = parseRoute(nodeHref("gpu-07.a"));
    expect(route).toMatchObject({ page: "node", node: "gpu-07.a" });
    expect(areaOf(route)).toBe("admin");
    expect(parseRoute("#/admin/nodes/%E0%A4%A").page).toBe("unknown");
  });

  it("has the id of a job", () => {
    const route = parseRoute(jobHref("a1b2c3d4e5f6g7h8", "tab=log"));
    expect(route).toMatchObject({
      page: "job",
      jobId: "a1b2c3d4e5f6g7h8",
      query: "tab=log",
    });
    expect(areaOf(route)).toBe("job");
  });

  it("has the user of a preview in its query", () => {
    expect(parseRoute(userPreviewHref())).toMatchObject({
      page: "userPreview",
      query: "",
    });
    const { page, query } = parseRoute(userPreviewHref("a/b?c#d"));
    expect(page).toBe("userPreview");
    expect(new URLSearchParams(query).get("user")).toBe("a/b?c#d");
  });

  it("carries a query", () => {
    const route = parseRoute(hrefOf("audit", "actor=ada&text=a%3Fb"));
    expect(route.page).toBe("audit");
    expect(route.query).toBe("actor=ada&text=a%3Fb");
  });
});

describe("an area", () => {
  it("is usage for the job history, and not for the cluster", () => {
    expect(areaOf(parseRoute(hrefOf("history")))).toBe("usage");
    expect(areaOf(parseRoute(hrefOf("cluster")))).toBe("cluster");
    expect(areaOf(parseRoute(hrefOf("files")))).toBe("files");
  });

  it("is admin for administration pages", () => {
    expect(areaOf(parseRoute(userHref("ada")))).toBe("admin");
    expect(areaOf(parseRoute(hrefOf("audit")))).toBe("admin");
  });

  it("is account for account pages", () => {
    expect(areaOf(parseRoute(hrefOf("tokens")))).toBe("account");
  });
});
