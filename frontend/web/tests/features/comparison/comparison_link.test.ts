import { describe, expect, it } from "vitest";
import { parseRoute } from "../../../src/routes/route";
import {
  comparisonHref,
  comparisonOfQuery,
  toggled,
} from "../../../src/features/comparison/comparison_link";

describe("the address of a comparison", () => {
  it("is invalid without two to four different ids", () => {
    for (const query of [
      "",
      "jobs=",
      "jobs=a1",
      "jobs=a1,a1",
      "jobs=a1,b2,c3,d4,e5",
      "jobs=a1,../b2",
      "jobs=a1,B2",
    ]) {
      expect(comparisonOfQuery(query).ids).toEqual([]);
    }
  });

  it("has the jobs in their order, and each project once", () => {
    const href = comparisonHref(["b2", "a1"], ["p/1", "", "p/1", "p2"]);
    const route = parseRoute(href);
    expect(route.page).toBe("compare");
    expect(route.query).toMatch(/^jobs=b2,a1&/);
    expect(comparisonOfQuery(route.query)).toEqual({
      ids: ["b2", "a1"],
      projects: ["p/1", "p2"],
    });
  });
});

describe("the choice of jobs", () => {
  it("keeps the latest four", () => {
    let chosen: ReadonlySet<string> = new Set();
    for (const id of ["a", "b", "c", "d", "e"]) chosen = toggled(chosen, id);
    expect([...chosen]).toEqual(["b", "c", "d", "e"]);
  });

  it("drops a job that is chosen again", () => {
    expect([...toggled(new Set(["a", "b"]), "a")]).toEqual(["b"]);
  });
});
