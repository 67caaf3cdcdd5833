// The settings of an environment as a person types them.
import { create, equals } from "@bufbuild/protobuf";
import {
  type EnvironmentForm,
  EnvironmentFormSchema,
} from "#proto/environment_form";

export type Choice = "" | "yes" | "no"; // "": the default, or the base's

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly isMultiline?: boolean; // the text's value has several lines
}

export interface FormDraft {
  readonly bases: string; // names or paths, one per line
  readonly image: string;
  readonly mounts: string; // as the bases
  readonly workdir: string;
  readonly writable: Choice;
  readonly entrypoint: Choice;
  readonly devices: string; // as the bases
  readonly variables: readonly Variable[];
}

export function draftOf(form: EnvironmentForm): FormDraft {
  return {
    bases: form.baseEnvironments.join("\n"),
    image: form.image,
    mounts: form.mounts.join("\n"),
    workdir: form.workdir,
    writable: choiceOf(form.writable),
    entrypoint: choiceOf(form.entrypoint),
    devices: form.devices.join("\n"),
    variables: sortedVariables(form),
  };
}

// The settings that `draft` stands for. What is typed has no outer spaces; what
// `current`, the form of the text, has stays as it is there. Variables without a
// name are not part of the text yet.
export function formOf(
  draft: FormDraft,
  current: EnvironmentForm,
): EnvironmentForm {
  const shown = draftOf(current);
  const line = (key: "image" | "workdir") =>
    draft[key] === shown[key] ? current[key] : draft[key].trim();
  const lines = (
    key: "bases" | "mounts" | "devices",
    items: readonly string[],
  ) => (draft[key] === shown[key] ? [...items] : itemsOf(draft[key], items));
  const writable = valueOf(draft.writable);
  const entrypoint = valueOf(draft.entrypoint);
  return create(EnvironmentFormSchema, {
    baseEnvironments: lines("bases", current.baseEnvironments),
    image: line("image"),
    mounts: lines("mounts", current.mounts),
    workdir: line("workdir"),
    ...(writable !== undefined && { writable }),
    ...(entrypoint !== undefined && { entrypoint }),
    devices: lines("devices", current.devices),
    variables: Object.fromEntries(
      draft.variables
        .map(({ name, value }) => [writtenName(name, current), value] as const)
        .filter(([name]) => name !== ""),
    ),
  });
}

export function sameForm(a: EnvironmentForm, b: EnvironmentForm): boolean {
  return equals(EnvironmentFormSchema, a, b);
}

// The name that a variable has in the text.
export function writtenName(name: string, current: EnvironmentForm): string {
  return Object.hasOwn(current.variables, name) ? name : name.trim();
}

// The names that several variables have.
export function repeatedIn(
  variables: readonly Variable[],
  current: EnvironmentForm,
): string[] {
  const names = variables.map(({ name }) => writtenName(name, current));
  return [
    ...new Set(
      names.filter((name, at) => name !== "" && names.indexOf(name) < at),
    ),
  ];
}

function sortedVariables({ variables }: EnvironmentForm): Variable[] {
  return Object.entries(variables)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({
      name,
      value,
      ...(/[\r\n]/.test(value) && { isMultiline: true }),
    }));
}

function choiceOf(value: boolean | undefined): Choice {
  return value === undefined ? "" : value ? "yes" : "no";
}

function valueOf(choice: Choice): boolean | undefined {
  return choice === "" ? undefined : choice === "yes";
}

function itemsOf(text: string, current: readonly string[]): string[] {
  return text
    .split("\n")
    .map((item) => (current.includes(item) ? item : item.trim()))
    .filter((item) => item !== "");
}
