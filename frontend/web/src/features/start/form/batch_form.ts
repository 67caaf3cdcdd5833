// The part of the start form that says what a batch job runs, as typed, and the
// spec it stands for.
import { create } from "@bufbuild/protobuf";
import {
  type BatchSpec,
  BatchSpecSchema,
  DependencyKind,
  type JobSpec,
} from "#proto/jobs";

// What the form can say of a batch job; also in JobSpec.batch, by the same
// names, but for the first two.
export const kBatchFields = [
  "kind",
  "program",
  "command",
  "script",
  "arguments",
  "workingDirectory",
  "output",
  "error",
  "array",
  "dependencies",
] as const;

export type BatchField = (typeof kBatchFields)[number];
export type BatchForm = Readonly<Record<BatchField, string>>;

export const kBatch = "batch"; // else it is interactive
export const kScript = "script"; // else it is a command

export const kBlankBatch: BatchForm = {
  kind: "",
  program: "",
  command: "",
  script: "",
  arguments: "",
  workingDirectory: "",
  output: "",
  error: "",
  array: "",
  dependencies: "",
};

export function isBatchForm(form: Pick<BatchForm, "kind">): boolean {
  return form.kind === kBatch;
}

// A job to wait for, in the form's one text: "id 1" each, a line each.
export interface Awaited {
  readonly job: string;
  readonly kind: DependencyKind;
}

export function awaitedOf(text: string): Awaited[] {
  return text
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([job]) => job !== "")
    .map(([job = "", kind = ""]) => ({ job, kind: Number(kind) || 1 }));
}

export function awaitedText(awaited: readonly Awaited[]): string {
  return awaited.map(({ job, kind }) => `${job} ${kind}`).join("\n");
}

export const kDependencyLabels: readonly (readonly [DependencyKind, string])[] =
  [
    [DependencyKind.AFTER_OK, "has ended well"],
    [DependencyKind.AFTER_ANY, "has ended"],
    [DependencyKind.AFTER_NOT_OK, "has failed"],
    [DependencyKind.AFTER, "has started"],
  ];

// The form that stands for a spec's batch job; of an interactive one it is blank.
export function batchFormOf({ batch }: Pick<JobSpec, "batch">): BatchForm {
  if (!batch) return kBlankBatch;
  return {
    kind: kBatch,
    program: batch.script ? kScript : "",
    command: batch.command,
    script: batch.script,
    arguments: batch.arguments.join("\n"),
    workingDirectory: batch.workingDirectory,
    output: batch.output,
    error: batch.error,
    array: batch.array,
    dependencies: awaitedText(batch.dependencies),
  };
}

// The field that is empty although there is nothing to run without it.
export function missingIn(form: BatchForm): BatchField | undefined {
  if (!isBatchForm(form)) return undefined;
  const field = form.program === kScript ? "script" : "command";
  return form[field].trim() === "" ? field : undefined;
}

export function batchOf(form: BatchForm): BatchSpec | undefined {
  if (!isBatchForm(form)) return undefined;
  const byScript = form.program === kScript;
  return create(BatchSpecSchema, {
    command: byScript ? "" : form.command.trim(),
    script: byScript ? form.script.trim() : "",
    arguments: byScript
      ? form.arguments.split("\n").filter((line) => line !== "")
      : [],
    workingDirectory: form.workingDirectory.trim(),
    output: form.output.trim(),
    error: form.error.trim(),
    array: form.array.replace(/\s/g, ""),
    dependencies: awaitedOf(form.dependencies),
  });
}
