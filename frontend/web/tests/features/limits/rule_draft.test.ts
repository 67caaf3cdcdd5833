import { describe, expect, it } from "vitest";
import { FieldError } from "../../../src/lib/field_error";
import { LimitMetric, LimitScope } from "#proto/limit";
import {
  checkable,
  errorOf,
  kBlankRule,
  type RuleDraft,
  ruleOf,
} from "../../../src/features/limits/rule_draft";

function draft(part: Partial<RuleDraft>): RuleDraft {
  return { ...kBlankRule, username: "ada", ...part };
}

describe("the limit form", () => {
  it("requires a subject", () => {
    expect(errorOf(kBlankRule)).toEqual(
      new FieldError("username", "Enter a user name."),
    );
    expect(errorOf(draft({ scope: LimitScope.GROUP }))?.field).toBe("name");
    expect(errorOf(draft({ scope: LimitScope.ROLE, name: " " }))?.field).toBe(
      "name",
    );
    expect(errorOf(draft({ scope: LimitScope.PROJECT }))).toEqual(
      new FieldError("project", "Choose a project."),
    );
    // Of each member.
    expect(
      errorOf(draft({ scope: LimitScope.MEMBER, project: "p", username: "" })),
    ).toBeUndefined();
  });

  it("rejects an invalid number", () => {
    for (const max of ["-1", "1.5", "x", "1e3", "12345678901"]) {
      expect(errorOf(draft({ max }))?.field).toBe("max");
    }
    expect(
      errorOf(draft({ metric: LimitMetric.WALLTIME, max: "soon" }))?.field,
    ).toBe("max");
  });

  it("accepts a number or no limit", () => {
    expect(ruleOf(draft({ max: " 12 " })).max).toBe(12n);
    expect(ruleOf(draft({ max: "0" })).max).toBe(0n);
    expect("max" in ruleOf(draft({ max: "" }))).toBe(false);
    const walltime = { metric: LimitMetric.WALLTIME };
    expect(ruleOf(draft({ ...walltime, max: "8 h" })).max).toBe(480n);
    expect(ruleOf(draft({ ...walltime, max: "0" })).max).toBe(0n);
  });

  it("has only the fields of its scope", () => {
    const full = { name: "chem", project: "p", username: "ada" };
    const named = (scope: LimitScope) => {
      const { name, project, username } = ruleOf(draft({ ...full, scope }));
      return [name, project, username].join("|");
    };
    expect(named(LimitScope.GROUP)).toBe("chem||");
    expect(named(LimitScope.PROJECT)).toBe("|p|");
    expect(named(LimitScope.USER)).toBe("||ada");
    expect(named(LimitScope.MEMBER)).toBe("|p|ada");
  });

  it("ends at the end of its last day", () => {
    expect("expiresAt" in ruleOf(draft({}))).toBe(false);
    const { expiresAt } = ruleOf(draft({ day: "2030-01-31" }));
    const end = new Date(Number(expiresAt!.seconds) * 1000);
    expect([end.getMonth(), end.getDate()]).toEqual([0, 31]);
  });
});

describe("what a dry run depends on", () => {
  it("is nothing for a limit that is not complete, or unlimited", () => {
    expect(checkable(draft({ max: "" }))).toBe("");
    expect(checkable(draft({ max: "many" }))).toBe("");
    expect(checkable(draft({ max: "4", username: "" }))).toBe("");
  });

  it("changes with the limit, not with its note or end", () => {
    const text = checkable(draft({ max: "4" }));
    expect(text).not.toBe("");
    expect(checkable(draft({ max: "4", note: "x", day: "2030-01-01" }))).toBe(
      text,
    );
    expect(checkable(draft({ max: "5" }))).not.toBe(text);
  });
});
