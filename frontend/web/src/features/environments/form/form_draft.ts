// The settings of an environment as a person types them.
import { create } from "@bufbuild/protobuf";
import {
  type EnvironmentForm,
  EnvironmentFormSchema,
} from "#proto/environment_form";

export type Choice = "" | "yes" | "no"; // "": the default, or the base's

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export interface FormDraft {
  readonly bases: string; // names, separated by commas
  readonly image: string;
  readonly mounts: string; // one per line, as the devices
  readonly workdir: string;
  readonly writable: Choice;
  readonly entrypoint: Choice;
  readonly devices: string;
  readonly variables: readonly Variable[];
}

export function draftOf(form: EnvironmentForm): FormDraft {
  return {
    bases: form.baseEnvironments.join(", "),
    image: form.image,
    mounts: form.mounts.join("\n"),
    workdir: form.workdir,
    writable: choiceOf(form.writable),
    entrypoint: choiceOf(form.entrypoint),
    devices: form.devices.join("\n"),
    variables: sortedVariables(form),
  };
}

// Variables without a name are not part of the text yet.
export function formOf(draft: FormDraft): EnvironmentForm {
  const named = draft.variables.filter(({ name }) => name.trim() !== "");
  const writable = valueOf(draft.writable);
  const entrypoint = valueOf(draft.entrypoint);
  return create(EnvironmentFormSchema, {
    baseEnvironments: partsOf(draft.bases, ","),
    image: draft.image.trim(),
    mounts: partsOf(draft.mounts, "\n"),
    workdir: draft.workdir.trim(),
    ...(writable !== undefined && { writable }),
    ...(entrypoint !== undefined && { entrypoint }),
    devices: partsOf(draft.devices, "\n"),
    variables: Object.fromEntries(
      named.map(({ name, value }) => [name.trim(), value]),
    ),
  });
}

export function sameForm(a: EnvironmentForm, b: EnvironmentForm): boolean {
  return JSON.stringify(draftOf(a)) === JSON.stringify(draftOf(b));
}

// The names that several variables have.
export function repeatedIn(variables: readonly Variable[]): string[] {
  const names = variables.map(({ name }) => name.trim());
  return [
    ...new Set(
      names.filter((name, at) => name !== "" && names.indexOf(name) < at),
    ),
  ];
}

function sortedVariables({ variables }: EnvironmentForm): Variable[] {
  return Object.keys(variables)
    .sort()
    .map((name) => ({ name, value: variables[name] ?? "" }));
}

function choiceOf(value: boolean | undefined): Choice {
  return value === undefined ? "" : value ? "yes" : "no";
}

function valueOf(choice: Choice): boolean | undefined {
  return choice === "" ? undefined : choice === "yes";
}

function partsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
