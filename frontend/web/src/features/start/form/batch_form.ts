// The fields of the start form for batch jobs, and their conversion to a job
// spec.
import { create } from "@bufbuild/protobuf";
import {
  type BatchSpec,
  BatchSpecSchema,
  DependencyKind,
  type JobSpec,
} from "#proto/jobs";
import { messages } from "#messages/start";

// The fields for batch jobs. JobSpec.batch has the same names except for the
// first two.
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

export const kBatch = "batch"; // otherwise interactive
export const kScript = "script"; // otherwise a command

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

// A dependency. The form stores dependencies as text, one "id kind" per line.
export interface Dependency {
  readonly job: string;
  readonly kind: DependencyKind;
}

export function dependenciesOf(text: string): Dependency[] {
  return text
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([job]) => job !== "")
    .map(([job = "", kind = ""]) => ({ job, kind: Number(kind) || 1 }));
}

export function dependenciesText(awaited: readonly Dependency[]): string {
  return awaited.map(({ job, kind }) => `${job} ${kind}`).join("\n");
}

export const kDependencyLabels: readonly (readonly [DependencyKind, string])[] =
  [
    [DependencyKind.AFTER_OK, messages.completed],
    [DependencyKind.AFTER_ANY, messages.ended],
    [DependencyKind.AFTER_NOT_OK, messages.failed],
    [DependencyKind.AFTER, messages.started],
  ];

// The form for the batch job of a spec; blank for an interactive job.
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
    dependencies: dependenciesText(batch.dependencies),
  };
}

// The required field that is empty, or undefined.
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
    dependencies: dependenciesOf(form.dependencies),
  });
}
