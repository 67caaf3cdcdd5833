// Selects the project of the job. Shown to members of projects.
import type { Project } from "#proto/project";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { messages } from "#messages/start";

export function ProjectChoice(props: {
  projects: readonly Project[]; // of the user
  chosen: string;
  waits: boolean; // the templates are not loaded yet
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { projects, chosen, waits, validationErrors, onChoose } = props;
  const usable = projects.filter((project) => project.usable);
  if (usable.length === 0 && !chosen) return null;
  const lost = chosen !== "" && !usable.some(({ id }) => id === chosen);
  return (
    <Field
      name="project"
      label={messages.project}
      validationErrors={validationErrors}
    >
      {(input) => (
        <select
          {...input}
          disabled={waits}
          value={chosen}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          <option value="">{messages.none}</option>
          {lost && <option value={chosen}>{messages.formerProject}</option>}
          {usable.map(({ id, settings }) => (
            <option key={id} value={id}>
              {settings?.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
