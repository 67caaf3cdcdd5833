import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ViolationSchema } from "#proto/jobs";
import {
  HiddenTemplateSchema,
  PreviewStartFormResponseSchema,
  StartCheckSchema,
  TemplateProblem,
} from "#proto/user_preview";
import {
  draftProblem,
  isRefusedEverywhere,
  offerRows,
  problemLabel,
  projectLabel,
  reasonsOf,
  templateName,
} from "../../../src/features/user_preview/preview_labels";

const violation = (field: string, message: string) =>
  create(ViolationSchema, { field, message });

describe("the reasons of a refusal", () => {
  it("are in the order of the form, those without a field last", () => {
    expect(
      reasonsOf([
        violation("", "2 of 2 jobs run"),
        violation("walltime", "too long"),
        violation("project", "it is closed"),
        violation("", "2 of 2 jobs run"),
      ]),
    ).toEqual(["it is closed", "too long", "2 of 2 jobs run"]);
    expect(reasonsOf([])).toEqual([]);
  });
});

describe("the names in a preview", () => {
  const preview = create(PreviewStartFormResponseSchema, {
    projects: [{ id: "p1", settings: { name: "Chemistry" } }],
    templates: [{ id: "t1", settings: { name: "Small" } }],
  });

  it("are ids where the name is not known", () => {
    expect(projectLabel("p2", preview)).toBe("p2");
    expect(templateName("t2", preview)).toBe("t2");
  });

  it("are those of projects and templates", () => {
    expect(projectLabel("p1", preview)).toBe("Chemistry");
    expect(projectLabel("", preview)).toBe("without a project");
    expect(templateName("t1", preview)).toBe("Small");
    expect(templateName("", preview)).toBe("without a template");
  });
});

describe("a template that is not offered", () => {
  it.each([
    [TemplateProblem.UNSPECIFIED, "It is not offered to this user."],
    [99 as TemplateProblem, "It is not offered to this user."],
    [TemplateProblem.RETIRED, "It is retired."],
    [
      TemplateProblem.NOT_ATTACHED,
      "It is attached to no project, nor to jobs without a project.",
    ],
    [
      TemplateProblem.NOT_MEMBER,
      "The user is a member of none of its projects.",
    ],
  ])("has a reason for %j", (problem, text) => {
    expect(problemLabel(create(HiddenTemplateSchema, { problem }))).toBe(text);
  });
});

describe("what is offered", () => {
  it("says that names are not known when Slurm has no accounting", () => {
    const rows = new Map(offerRows(create(PreviewStartFormResponseSchema)));
    expect(rows.get("Slurm accounts")).toContain("not known");
    expect(rows.get("QOS")).toContain("not known");
    expect(rows.get("Partitions")).toBe("none");
    expect(rows.has("Environments of the site")).toBe(false);
  });

  it("has the names of Slurm and of Carme", () => {
    const rows = new Map(
      offerRows(
        create(PreviewStartFormResponseSchema, {
          cluster: {
            partitions: [{ name: "main" }, { name: "fast" }],
            limits: { qos: ["short"] },
            images: [{ id: "torch:1" }],
          },
          accounts: ["chem", "bio"],
          environmentsOffered: true,
          siteEnvironments: ["team/torch"],
        }),
      ),
    );
    expect(rows.get("Partitions")).toBe("main, fast");
    expect(rows.get("Slurm accounts")).toBe("chem, bio");
    expect(rows.get("QOS")).toBe("short");
    expect(rows.get("Images")).toContain("torch");
    expect(rows.get("Environments of the site")).toBe("team/torch");
  });
});

describe("a user who can start nothing", () => {
  const refused = create(StartCheckSchema, {
    violations: [{ message: "no" }],
  });

  it("is one with a refusal in each place", () => {
    expect(isRefusedEverywhere([])).toBe(false);
    expect(isRefusedEverywhere([refused, create(StartCheckSchema)])).toBe(
      false,
    );
    expect(isRefusedEverywhere([refused, refused])).toBe(true);
  });
});

describe("the problem of an unsaved template", () => {
  const hiddenTemplates = [
    create(HiddenTemplateSchema, {
      template: { id: "new" },
      problem: TemplateProblem.NOT_ATTACHED,
    }),
  ];

  it("is why it is not offered", () => {
    expect(draftProblem({ draftTemplateId: "new", hiddenTemplates })).toMatch(
      "attached to no project",
    );
  });

  it("is not that of another template", () => {
    expect(draftProblem({ draftTemplateId: "", hiddenTemplates })).toBe("");
    expect(draftProblem({ draftTemplateId: "cpu", hiddenTemplates })).toBe("");
  });
});
