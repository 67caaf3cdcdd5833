import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  Accounting_State,
  AccountingSchema,
  HistoryJobSchema,
} from "#proto/history";
import { JobEnd } from "#proto/jobs";
import { ProjectRole, ProjectSchema } from "#proto/project";
import {
  accountingLabel,
  endOf,
  hoursOf,
  ranFor,
  toneOf,
} from "../../../../src/features/insights/history/history_labels";
import {
  labelOf,
  queryOfUsage,
  usageOfQuery,
} from "../../../../src/features/insights/usage/usage_form";
import { ownerChoices } from "../../../../src/features/insights/history/owner_filter";

describe("hours", () => {
  it.each([
    [0n, "0"],
    [1n, "<0.01"],
    [90n, "0.03"],
    [5400n, "1.5"],
    [36000n, "10"],
    [3600000n, "1,000"],
  ])("of %s seconds", (seconds, text) => {
    expect(hoursOf(seconds)).toBe(text);
  });
});

describe("an ended job", () => {
  it("has no duration if it never ran", () => {
    expect(ranFor(create(HistoryJobSchema, {}))).toBe("did not run");
  });
  it("shows seconds, then minutes", () => {
    const ran = (seconds: number) =>
      ranFor(
        create(HistoryJobSchema, {
          startedAt: timestampFromMs(0),
          endedAt: timestampFromMs(seconds * 1000),
        }),
      );
    expect(ran(59)).toBe("59 s");
    expect(ran(5400)).toBe("1 h 30 min");
  });
  it("has the labels of job cards", () => {
    const job = create(HistoryJobSchema, { end: JobEnd.FAILED, exitCode: 3 });
    expect(endOf(job)).toBe("Failed, exit code 3");
    expect(toneOf(job)).toBe("bad");
  });
});

describe("the source of the figures", () => {
  it("has a label for every state", () => {
    const said = Object.values(Accounting_State)
      .filter((state) => typeof state === "number")
      .filter((state) => state !== Accounting_State.UNSPECIFIED)
      .map((state) =>
        accountingLabel(create(AccountingSchema, { state: state as number })),
      );
    expect(new Set(said).size).toBe(said.length);
    expect(accountingLabel(undefined)).toContain("estimated by Carme");
  });
});

describe("the choices of owners", () => {
  const project = (id: string, role: ProjectRole) =>
    create(ProjectSchema, { id, role, settings: { name: id.toUpperCase() } });
  it("are the user's own jobs for a member", () => {
    expect(
      ownerChoices([project("a", ProjectRole.MEMBER)], false),
    ).toHaveLength(1);
  });
  it("include projects of owners and managers", () => {
    const choices = ownerChoices(
      [project("a", ProjectRole.OWNER), project("b", ProjectRole.MANAGER)],
      true,
    );
    expect(choices.map(({ value }) => value)).toEqual([
      "",
      "a",
      "b",
      "everybody",
    ]);
  });
});

describe("the usage form", () => {
  it("falls back to defaults", () => {
    expect(usageOfQuery("by=x&span=constructor")).toEqual({
      owner: "",
      by: "GPU_TYPE",
      span: "month",
    });
  });
  it("round-trips through the query string", () => {
    const query = queryOfUsage({ owner: "p", by: "USER", span: "week" });
    expect(queryOfUsage(usageOfQuery(query))).toBe(query);
  });
  it("has a name", () => {
    expect(labelOf("GPU_TYPE", "", false, [])).toBe("no GPU");
    expect(labelOf("GPU_TYPE", "", true, [])).toBe("any GPU type");
    expect(labelOf("GPU_TYPE", "a100,h200", true, [])).toBe("a100, h200");
    expect(labelOf("PROJECT", "", false, [])).toBe("no project");
    expect(labelOf("PROJECT", "gone", false, [])).toBe("gone");
  });
});
