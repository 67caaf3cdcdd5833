// The start form of another user. It starts with the values that the form
// proposes, which the server has checked; other values are not checked.
import { create } from "@bufbuild/protobuf";
import {
  type ListEnvironmentsResponse,
  ListEnvironmentsResponseSchema,
} from "#proto/environment";
import type { PreviewStartFormResponse, StartCheck } from "#proto/user_preview";
import {
  blankForm,
  type FieldName,
  kFields,
  type StartForm,
} from "../start/form/start_form";
import { boundingTemplate, fitTo } from "../start/form/template_bounds";
import { templatesFor } from "../templates/template_labels";

type Offer = Pick<PreviewStartFormResponse, "templates" | "checks"> & {
  readonly cluster: NonNullable<PreviewStartFormResponse["cluster"]>;
};

// The values that the form has after the user selected these. The only template
// of a project limits it without being selected.
export function proposedForm(
  { cluster, templates }: Pick<Offer, "cluster" | "templates">,
  project: string,
  template: string,
): StartForm {
  const form = { ...blankForm(cluster), project, template };
  if (project === "" && template === "") return form;
  const changes = fitTo(form, boundingTemplate(form, templates), cluster);
  return { ...form, ...Object.fromEntries(changes) };
}

// A selected project or template resets the other values.
export function changedForm(
  offer: Pick<Offer, "cluster" | "templates">,
  form: StartForm,
  name: FieldName,
  value: string,
): StartForm {
  if (form[name] === value) return form;
  if (name === "project") return proposedForm(offer, value, "");
  if (name === "template") return proposedForm(offer, form.project, value);
  return { ...form, [name]: value };
}

// The server's decision about the form; undefined: it did not check these
// values.
export function checkOf(offer: Offer, form: StartForm): StartCheck | undefined {
  const proposed = proposedForm(offer, form.project, form.template);
  if (kFields.some((name) => form[name] !== proposed[name])) return undefined;
  return offer.checks.find(
    ({ project, template }) =>
      project === form.project && template === form.template,
  );
}

// The site's environments. The user's own are private.
export function environmentsOf({
  environmentsOffered,
  siteEnvironments,
}: PreviewStartFormResponse): ListEnvironmentsResponse {
  return create(ListEnvironmentsResponseSchema, {
    offered: environmentsOffered,
    environments: siteEnvironments.map((name) => ({ name, site: true })),
  });
}

// The templates of each project, for the list of decisions. Where there are
// templates, the check without one says nothing more.
export function listedChecks({
  checks,
  templates,
}: Pick<Offer, "checks" | "templates">): readonly StartCheck[] {
  return checks.filter(
    ({ project, template }) =>
      template !== "" ||
      templatesFor(templates, project).length === 0 ||
      !checks.some((other) => other.project === project && other.template),
  );
}
