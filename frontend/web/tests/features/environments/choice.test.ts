import { describe, expect, it } from "vitest";
import {
  choiceOf,
  hrefOfChoice,
  hrefToStart,
  kNew,
  withDraft,
  withoutDraft,
} from "../../../src/features/environments/choice";
import { parseRoute } from "../../../src/routes/route";

const own = { kind: "own", name: "torch" } as const;
const site = { kind: "site", name: "torch" } as const;

describe("the choice of an environment", () => {
  it("is none where the address names none", () => {
    for (const query of ["", "name=", "site=", "other=1"]) {
      expect(choiceOf(query)).toBeUndefined();
    }
  });

  it("comes back from the address that it wrote", () => {
    for (const choice of [own, site, kNew, { kind: "own", name: "a&b=c" }]) {
      const route = parseRoute(hrefOfChoice(choice as typeof own));
      expect(route.page).toBe("environments");
      expect(choiceOf(route.query)).toEqual(choice);
    }
  });

  it("leads to the form of the page of work", () => {
    const { page, query } = parseRoute(hrefToStart("torch"));
    expect(page).toBe("dashboard");
    expect(new URLSearchParams(query).get("environment")).toBe("torch");
  });
});

describe("drafts", () => {
  it("of one's own and the site's of the same name are two", () => {
    const both = withDraft(withDraft({}, own, { text: "a", name: "" }), site, {
      text: "b",
      name: "",
    });
    expect(Object.values(both).map(({ text }) => text)).toEqual(["a", "b"]);
    expect(Object.values(withoutDraft(both, own))).toEqual([
      { text: "b", name: "" },
    ]);
  });
});
