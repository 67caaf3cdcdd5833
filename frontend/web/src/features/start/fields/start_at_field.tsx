// The earliest start time of a job.
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { messages } from "#messages/start";

export function StartAtField(props: {
  value: string; // value of a datetime-local input; empty: as soon as possible
  validationErrors: readonly ValidationError[] | undefined;
  onValue(value: string): void;
}) {
  const { value, validationErrors, onValue } = props;
  return (
    <Field
      name="startAt"
      label={messages.startNotBefore}
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
