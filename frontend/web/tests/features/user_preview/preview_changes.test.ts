import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { LimitMetric, LimitScope } from "#proto/limit";
import {
  PreviewStartFormResponseSchema,
  SavedStartFormSchema,
  TemplateProblem,
} from "#proto/user_preview";
import {
  changesOf,
  markOf,
} from "../../../src/features/user_preview/preview_changes";

const preview = (
  init: MessageInitShape<typeof PreviewStartFormResponseSchema>,
) =>
  create(PreviewStartFormResponseSchema, {
    projects: [{ id: "chem", settings: { name: "Chemistry" } }],
    ...init,
  });
const saved = (init: MessageInitShape<typeof SavedStartFormSchema>) =>
  create(SavedStartFormSchema, init);

const allowed = { project: "", template: "" };
const refused = { ...allowed, violations: [{ message: "2 of 2 jobs run" }] };
const cpu = { id: "cpu", everybody: true, settings: { name: "CPU" } };
const useOf = (max: bigint, source: string) => ({
  limit: "max_gpus_per_job",
  rule: {
    scope: LimitScope.USER,
    metric: LimitMetric.GPUS_PER_JOB,
    max,
    source,
  },
});

describe("the changes of a preview", () => {
  it("name a job that is newly refused, with the reason", () => {
    const [change, ...others] = changesOf(
      preview({ checks: [refused] }),
      saved({ checks: [allowed] }),
    );
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      mark: "refused",
      place: "without a project",
      before: [],
      after: ["2 of 2 jobs run"],
    });
  });

  it("name a job that is newly allowed, or refused for other reasons", () => {
    const other = { ...allowed, violations: [{ message: "no GPU is up" }] };
    const marks = (is: object, was: object) =>
      changesOf(preview({ checks: [is] }), saved({ checks: [was] })).map(
        ({ mark }) => mark,
      );
    expect(marks(allowed, refused)).toEqual(["allowed"]);
    expect(marks(other, refused)).toEqual(["reasons"]);
    expect(marks(refused, refused)).toEqual([]);
    expect(marks(allowed, allowed)).toEqual([]);
  });

  it("say nothing about a check that was left out before", () => {
    expect(
      changesOf(preview({ checks: [refused] }), saved({ checks: [] })),
    ).toEqual([]);
    expect(
      markOf(preview({ checks: [refused] }).checks[0]!, saved({})),
    ).toBeUndefined();
    expect(
      markOf(preview({ checks: [refused] }).checks[0]!, undefined),
    ).toBeUndefined();
  });

  it("name a template that is no longer offered, and why", () => {
    const changes = changesOf(
      preview({
        hiddenTemplates: [
          {
            template: { ...cpu, retired: true },
            problem: TemplateProblem.RETIRED,
          },
        ],
      }),
      saved({ templates: [cpu] }),
    );
    expect(changes).toMatchObject([
      { mark: "hidden", subject: "CPU", after: ["It is retired."] },
    ]);
  });

  it("name each place where a template is newly offered, and its refusal", () => {
    const changes = changesOf(
      preview({
        templates: [{ ...cpu, projects: ["chem"] }],
        checks: [
          {
            project: "chem",
            template: "cpu",
            violations: [{ message: "too many GPUs" }],
          },
        ],
      }),
      saved({}),
    );
    expect(changes).toMatchObject([
      { mark: "offered", place: "without a project", after: [] },
      { mark: "offered", place: "Chemistry", after: ["too many GPUs"] },
    ]);
  });

  it("compare the settings of a template", () => {
    const changes = changesOf(
      preview({
        templates: [{ ...cpu, settings: { name: "CPU", maxNodes: 1 } }],
      }),
      saved({
        templates: [
          { ...cpu, settings: { name: "CPU", maxNodes: 3, qos: "short" } },
        ],
      }),
    );
    expect(changes).toMatchObject([
      {
        mark: "template",
        subject: "CPU",
        before: ["at most 3 nodes", "QOS short"],
        after: ["at most 1 node"],
      },
    ]);
  });

  it("compare the limits of the user and of each project", () => {
    const changes = changesOf(
      preview({
        limits: {
          limits: [useOf(2n, "user ada")],
          projects: [
            { project: "chem", projectName: "Chem", limits: [useOf(1n, "x")] },
          ],
        },
      }),
      saved({ limits: { limits: [useOf(4n, "role user")] } }),
    );
    expect(changes).toMatchObject([
      {
        mark: "limit",
        place: "all jobs",
        before: ["4 (role user)"],
        after: ["2 (user ada)"],
      },
      { mark: "limit", place: "Chem", before: ["no limit"], after: ["1 (x)"] },
    ]);
  });

  it("have the refusals first", () => {
    const marks = changesOf(
      preview({
        checks: [refused],
        templates: [{ ...cpu, id: "new" }],
        limits: { limits: [useOf(2n, "user ada")] },
      }),
      saved({ checks: [allowed] }),
    ).map(({ mark }) => mark);
    expect(marks).toEqual(["refused", "offered", "limit"]);
  });
});
