// When a job may start at the earliest.
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";

export function StartAtField(props: {
  value: string; // a datetime-local input's; empty: as soon as it can
  validationErrors: readonly ValidationError[] | undefined;
  onValue(value: string): void;
}) {
  const { value, validationErrors, onValue } = props;
  return (
    <Field
      name="startAt"
      label="Start not before"
      validationErrors={validationErrors}
    >
      {(input) => (
        <input
          {...input}
          type="datetime-local"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
