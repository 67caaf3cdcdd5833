// Selects the template of the job and shows what it allows.
import type { Template } from "#proto/template";
import { templatesFor, templateLabel } from "../../templates/template_labels";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { messages } from "#messages/start";

export function TemplateChoice(props: {
  templates: readonly Template[]; // all templates of the user
  project: string;
  chosen: string;
  taken: string; // the template that the server uses
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { templates, project, chosen, taken, validationErrors, onChoose } =
    props;
  const offered = templatesFor(templates, project);
  if (offered.length === 0 && !chosen && !validationErrors) return null;
  const lost = chosen !== "" && !offered.some(({ id }) => id === chosen);
  const shown =
    offered.length === 1
      ? offered[0]
      : offered.find(({ id }) => id === (chosen || taken));
  const label = shown?.settings ? templateLabel(shown.settings) : [];
  return (
    <Field
      name="template"
      label={messages.template}
      validationErrors={validationErrors}
    >
      {(input) => (
        <>
          <select
            {...input}
            aria-describedby={`template-allows ${input["aria-describedby"]}`}
            value={chosen}
            onChange={(event) => onChoose(event.currentTarget.value)}
          >
            <option value="">
              {offered.length === 1
                ? offered[0]?.settings?.name
                : offered.length === 0
                  ? messages.none
                  : messages.firstMatchingTemplate}
            </option>
            {lost && (
              <option value={chosen}>
                {messages.templateNotAvailableHere}
              </option>
            )}
            {(offered.length > 1 || chosen) &&
              offered.map(({ id, settings }) => (
                <option key={id} value={id}>
                  {settings?.name}
                </option>
              ))}
          </select>
          <p
            id="template-allows"
            class="hint"
            aria-live="polite"
            data-testid="template-allows"
          >
            {shown &&
              offered.length > 1 &&
              !chosen &&
              messages.templateInUse({ name: `${shown.settings?.name}` })}
            {label.join(" · ")}
          </p>
        </>
      )}
    </Field>
  );
}
