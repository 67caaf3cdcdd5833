// Texts of a preview.
import type { Violation } from "#proto/jobs";
import {
  type HiddenTemplate,
  type PreviewStartFormResponse,
  type StartCheck,
  TemplateProblem,
} from "#proto/user_preview";
import { imageName } from "../images/app_images";
import { kFields } from "../start/form/start_form";
import { validationErrorsOf } from "../start/form/validation_errors";
import { messages } from "#messages/user_preview";

// Why a job is refused, one sentence each, in the order of the form.
export function reasonsOf(violations: readonly Violation[]): readonly string[] {
  const errors = validationErrorsOf([], violations);
  const places = [...kFields, "form" as const];
  const sentences = places.flatMap((place) =>
    (errors[place] ?? []).map(({ message }) => message),
  );
  return [...new Set(sentences)];
}

type Names = Pick<PreviewStartFormResponse, "projects" | "templates">;

export function projectLabel(id: string, { projects }: Names): string {
  if (id === "") return messages.withoutAProject;
  return projects.find((project) => project.id === id)?.settings?.name || id;
}

export function templateName(id: string, { templates }: Names): string {
  if (id === "") return messages.withoutATemplate;
  return templates.find((one) => one.id === id)?.settings?.name || id;
}

const kProblems: Readonly<Record<TemplateProblem, string>> = {
  [TemplateProblem.UNSPECIFIED]: messages.notOffered,
  [TemplateProblem.RETIRED]: messages.retired,
  [TemplateProblem.NOT_ATTACHED]: messages.notAttached,
  [TemplateProblem.NOT_MEMBER]: messages.notMember,
};

export function problemLabel({ problem }: HiddenTemplate): string {
  return kProblems[problem] ?? messages.notOffered;
}

// Why the template of the draft is not offered; "": it is, or there is none.
export function draftProblem(
  preview: Pick<
    PreviewStartFormResponse,
    "draftTemplateId" | "hiddenTemplates"
  >,
): string {
  const { draftTemplateId, hiddenTemplates } = preview;
  if (draftTemplateId === "") return "";
  const hidden = hiddenTemplates.find(
    ({ template }) => template?.id === draftTemplateId,
  );
  return hidden ? problemLabel(hidden) : "";
}

// What the form offers, as term and text.
export function offerRows(
  preview: PreviewStartFormResponse,
): readonly (readonly [string, string])[] {
  const { cluster, accounts, siteEnvironments } = preview;
  const list = (names: readonly string[], none: string = messages.none) =>
    names.length === 0 ? none : names.join(", ");
  return [
    [
      messages.partitions,
      list((cluster?.partitions ?? []).map(({ name }) => name)),
    ],
    [
      messages.gpuTypes,
      list((cluster?.gpuTypes ?? []).map(({ type }) => type)),
    ],
    [messages.accounts, list(accounts, messages.accountsUnknown)],
    [messages.qos, list(cluster?.limits?.qos ?? [], messages.qosUnknown)],
    [messages.apps, list((cluster?.apps ?? []).map(({ name }) => name))],
    [
      messages.images,
      list((cluster?.images ?? []).map(({ id }) => imageName(id))),
    ],
    ...(preview.environmentsOffered
      ? [[messages.siteEnvironments, list(siteEnvironments)] as const]
      : []),
  ];
}

// Whether the user could start nothing at all.
export function isRefusedEverywhere(checks: readonly StartCheck[]): boolean {
  return (
    checks.length > 0 && checks.every(({ violations }) => violations.length > 0)
  );
}
