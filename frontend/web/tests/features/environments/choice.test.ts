import { describe, expect, it } from "vitest";
import {
  choiceOf,
  hrefOfChoice,
  hrefToStart,
  kNew,
  withDraft,
  withSaved,
  withoutDraft,
} from "../../../src/features/environments/choice";
import { parseRoute } from "../../../src/routes/route";

const own = { kind: "own", name: "torch" } as const;
const site = { kind: "site", name: "torch" } as const;

describe("the choice of an environment", () => {
  it("is undefined without a name in the address", () => {
    for (const query of ["", "name=", "site=", "other=1"]) {
      expect(choiceOf(query)).toBeUndefined();
    }
  });

  it("round-trips through the address", () => {
    for (const choice of [own, site, kNew, { kind: "own", name: "a&b=c" }]) {
      const route = parseRoute(hrefOfChoice(choice as typeof own));
      expect(route.page).toBe("environments");
      expect(choiceOf(route.query)).toEqual(choice);
    }
  });

  it("links to the start form", () => {
    const { page, query } = parseRoute(hrefToStart("torch"));
    expect(page).toBe("dashboard");
    expect(new URLSearchParams(query).get("environment")).toBe("torch");
  });
});

describe("drafts", () => {
  it("are separate for user and site environments of the same name", () => {
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

describe("the draft of a saved environment", () => {
  const draft = { text: "typed", name: "torch" };

  it("stays if its text was changed in the meantime", () => {
    for (const of of [kNew, own]) {
      const after = withSaved(withDraft({}, of, draft), of, own, "saved");
      expect(after).toEqual({ "own:torch": draft });
    }
  });

  it("is no longer needed if its text is the saved one", () => {
    for (const of of [kNew, own]) {
      const after = withSaved(withDraft({}, of, draft), of, own, "typed");
      expect(after).toEqual({});
    }
  });
});
