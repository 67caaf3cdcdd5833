import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { DependencyKind, JobSpecSchema, ViolationSchema } from "#proto/jobs";
import {
  dependenciesOf,
  dependenciesText,
  batchFormOf,
  kBatch,
  kBlankBatch,
  kScript,
} from "../../../../src/features/start/form/batch_form";
import { validationErrorsOf } from "../../../../src/features/start/form/validation_errors";
import {
  blankForm,
  fitted,
  formToSpec,
  type StartForm,
} from "../../../../src/features/start/form/start_form";

const cluster = create(GetClusterResponseSchema, {
  apps: [{ id: "jupyter" }],
  images: [
    { id: "lab:1", apps: ["jupyter"] },
    { id: "tools:1", apps: ["other"] },
  ],
});
const form = (more: Partial<StartForm>): StartForm => ({
  ...blankForm(cluster),
  kind: kBatch,
  command: "make",
  ...more,
});
const json = (more: Partial<StartForm>) =>
  toJson(JobSpecSchema, formToSpec(form(more)).spec) as Record<string, unknown>;

describe("a batch job in the form", () => {
  it("is sent without an app", () => {
    expect(json({})).toMatchObject({ batch: { command: "make" } });
    expect(json({})).not.toHaveProperty("app");
    expect(json({ kind: "" })).toMatchObject({ app: "jupyter" });
    expect(json({ kind: "" })).not.toHaveProperty("batch");
  });

  it("sends either command or script", () => {
    const both = { script: " ~/run.sh ", arguments: "-v\n\na b" };
    expect(json(both)["batch"]).toEqual({ command: "make" });
    expect(json({ ...both, program: kScript })["batch"]).toEqual({
      script: "~/run.sh",
      arguments: ["-v", "a b"],
    });
  });

  it("reports a missing command or script", () => {
    expect(formToSpec(form({ command: " " })).parseErrors).toEqual([
      { field: "command", message: "Enter a command" },
    ]);
    expect(formToSpec(form({ program: kScript })).parseErrors).toEqual([
      { field: "script", message: "Enter the path of a script" },
    ]);
    expect(formToSpec(form({ kind: "", command: "" })).parseErrors).toEqual([]);
  });

  it("sends array, files and dependencies", () => {
    const awaited = [
      { job: "abcdefgh23456789", kind: DependencyKind.AFTER_ANY },
    ];
    expect(
      json({
        array: "0-9 % 4",
        output: "out/%a",
        dependencies: dependenciesText(awaited),
      })["batch"],
    ).toEqual({
      command: "make",
      array: "0-9%4",
      output: "out/%a",
      dependencies: [
        { job: "abcdefgh23456789", kind: "DEPENDENCY_KIND_AFTER_ANY" },
      ],
    });
    expect(dependenciesOf(dependenciesText(awaited))).toEqual(awaited);
    expect(dependenciesOf("")).toEqual([]);
  });

  it("accepts an image without the app", () => {
    const tools = form({ image: "tools:1" });
    expect(fitted(tools, cluster).image).toBe("tools:1");
    expect(fitted({ ...tools, kind: "" }, cluster).image).toBe("");
  });

  it("round-trips", () => {
    const typed = form({
      program: kScript,
      command: "",
      script: "~/run.sh",
      arguments: "-v\na b",
      workingDirectory: "~/project",
      output: "out/%a",
      error: "err/%a",
      array: "0-9%4",
      dependencies: "abcdefgh23456789 2",
    });
    const { spec } = formToSpec(typed);
    expect({ ...typed, ...batchFormOf(spec) }).toEqual(typed);
    expect(batchFormOf(formToSpec(form({ kind: "" })).spec)).toEqual(
      kBlankBatch,
    );
  });

  it("shows violations at its fields", () => {
    const violation = create(ViolationSchema, {
      field: "batch.array",
      message: "no",
    });
    expect(validationErrorsOf([], [violation])).toEqual({
      array: [{ message: "no" }],
    });
  });
});
