// What unsaved changes mean for a user: the difference between the form with
// them and the form without.
import type { LimitUse } from "#proto/limit";
import type { Template } from "#proto/template";
import type {
  PreviewStartFormResponse,
  SavedStartForm,
  StartCheck,
} from "#proto/user_preview";
import { maxLabel, metricLabel } from "../limits/limit_labels";
import { templateLabel } from "../templates/template_labels";
import { listedChecks } from "./preview_form";
import {
  problemLabel,
  projectLabel,
  reasonsOf,
  templateName,
} from "./preview_labels";
import { messages } from "#messages/user_preview";

export type Mark =
  | "refused" // a job that could start now
  | "allowed" // a job that is refused now
  | "reasons" // refused before and after, for other reasons
  | "offered" // a template that is not offered now
  | "hidden" // a template that is offered now
  | "template" // other settings
  | "limit";

export interface Change {
  readonly mark: Mark;
  readonly place: string; // a project or "without a project"
  readonly subject: string; // a template or a limit
  readonly before: readonly string[]; // sentences
  readonly after: readonly string[];
}

type Marked = Pick<
  PreviewStartFormResponse,
  "checks" | "templates" | "projects" | "hiddenTemplates" | "limits"
>;

const kNone: readonly Change[] = [];

// The refusals first.
export function changesOf(
  preview: Marked,
  saved: SavedStartForm,
): readonly Change[] {
  const all = [
    ...checkChanges(preview, saved),
    ...offerChanges(preview, saved),
    ...settingChanges(preview, saved),
    ...limitChanges(preview, saved),
  ];
  return kOrder.flatMap((mark) => all.filter((one) => one.mark === mark));
}

const kOrder: readonly Mark[] = [
  "refused",
  "hidden",
  "allowed",
  "offered",
  "reasons",
  "limit",
  "template",
];

// undefined: nothing changes, or the saved form has no such check.
export function markOf(
  check: StartCheck,
  saved: Pick<SavedStartForm, "checks"> | undefined,
): Mark | undefined {
  const before = saved?.checks.find((one) => isSamePlace(one, check));
  if (!before) return undefined;
  const was = reasonsOf(before.violations);
  const is = reasonsOf(check.violations);
  if (was.length === 0) return is.length === 0 ? undefined : "refused";
  if (is.length === 0) return "allowed";
  return was.join() === is.join() ? undefined : "reasons";
}

function isSamePlace(one: StartCheck, other: StartCheck): boolean {
  return one.project === other.project && one.template === other.template;
}

function checkChanges(preview: Marked, saved: SavedStartForm): Change[] {
  return listedChecks(preview).flatMap((check) => {
    const mark = markOf(check, saved);
    const before = saved.checks.find((one) => isSamePlace(one, check));
    if (!mark || !before) return kNone;
    return {
      mark,
      place: projectLabel(check.project, preview),
      subject: templateName(check.template, preview),
      before: reasonsOf(before.violations),
      after: reasonsOf(check.violations),
    };
  });
}

// Where the user may select the template; "": for jobs without a project.
function placesOf(template: Template | undefined): readonly string[] {
  if (!template || template.retired) return [];
  return template.everybody ? ["", ...template.projects] : template.projects;
}

function offerChanges(preview: Marked, saved: SavedStartForm): Change[] {
  const ids = new Set(
    [...saved.templates, ...preview.templates].map(({ id }) => id),
  );
  return [...ids].flatMap((id) => {
    const before = saved.templates.find((one) => one.id === id);
    const after = preview.templates.find((one) => one.id === id);
    const was = placesOf(before);
    const is = placesOf(after);
    const hidden = preview.hiddenTemplates.find(
      ({ template }) => template?.id === id,
    );
    const change = (mark: Mark, project: string, why: readonly string[]) => ({
      mark,
      place: projectLabel(project, preview),
      subject: (after ?? before)?.settings?.name ?? id,
      before: [],
      after: why,
    });
    return [
      ...was
        .filter((project) => !is.includes(project))
        .map((project) =>
          change("hidden", project, hidden ? [problemLabel(hidden)] : []),
        ),
      ...is
        .filter((project) => !was.includes(project))
        .map((project) => {
          const check = preview.checks.find(
            (one) => one.project === project && one.template === id,
          );
          return change("offered", project, reasonsOf(check?.violations ?? []));
        }),
    ];
  });
}

function settingChanges(preview: Marked, saved: SavedStartForm): Change[] {
  return preview.templates.flatMap(({ id, settings }) => {
    const before = saved.templates.find((one) => one.id === id)?.settings;
    if (!before || !settings) return kNone;
    const was = phrasesOf(before);
    const is = phrasesOf(settings);
    const lost = was.filter((phrase) => !is.includes(phrase));
    const gained = is.filter((phrase) => !was.includes(phrase));
    if (lost.length + gained.length === 0) return kNone;
    return {
      mark: "template" as const,
      place: messages.template,
      subject: settings.name,
      before: lost,
      after: gained,
    };
  });
}

function phrasesOf(
  settings: NonNullable<Template["settings"]>,
): readonly string[] {
  return [
    messages.nameIs({ name: settings.name }),
    ...(settings.description
      ? [messages.descriptionIs({ text: settings.description })]
      : []),
    ...templateLabel(settings),
  ];
}

interface PlacedUse {
  readonly place: string;
  readonly use: LimitUse;
}

function usesOf(limits: Marked["limits"]): readonly PlacedUse[] {
  return [
    ...(limits?.limits ?? []).map((use) => ({ place: "", use })),
    ...(limits?.projects ?? []).flatMap(({ projectName, limits: uses }) =>
      uses.map((use) => ({ place: projectName, use })),
    ),
  ];
}

function ruleLabel(use: LimitUse | undefined): readonly string[] {
  if (!use?.rule) return [];
  return [
    messages.limitOf({ max: maxLabel(use.rule), source: use.rule.source }),
  ];
}

function limitChanges(preview: Marked, saved: SavedStartForm): Change[] {
  // In a project one limit may come from the project and from the member.
  const key = ({ place, use }: PlacedUse) =>
    [place, use.limit, place === "" ? "" : use.rule?.scope].join("\n");
  const was = new Map(usesOf(saved.limits).map((use) => [key(use), use]));
  const is = new Map(usesOf(preview.limits).map((use) => [key(use), use]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const before = ruleLabel(was.get(id)?.use);
    const after = ruleLabel(is.get(id)?.use);
    if (before.join() === after.join()) return kNone;
    const one = is.get(id) ?? was.get(id);
    return {
      mark: "limit" as const,
      place: one?.place || messages.allJobs,
      subject: one?.use.rule ? metricLabel(one.use.rule.metric) : "",
      before: before.length > 0 ? before : [messages.noLimit],
      after: after.length > 0 ? after : [messages.noLimit],
    };
  });
}
