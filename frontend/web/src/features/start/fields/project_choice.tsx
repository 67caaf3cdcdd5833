// The project that the job runs in, for somebody who is a member of one.
import type { Project } from "#proto/project";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";

export function ProjectChoice(props: {
  projects: readonly Project[]; // the user's
  chosen: string;
  waits: boolean; // what the projects may ask for is not known yet
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { projects, chosen, waits, validationErrors, onChoose } = props;
  const usable = projects.filter((project) => project.usable);
  if (usable.length === 0 && !chosen) return null;
  const lost = chosen !== "" && !usable.some(({ id }) => id === chosen);
  return (
    <Field name="project" label="Project" validationErrors={validationErrors}>
      {(input) => (
        <select
          {...input}
          disabled={waits}
          value={chosen}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          <option value="">None</option>
          {lost && <option value={chosen}>One that has ended</option>}
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
