// When a job may start at the earliest.
import type { Complaint } from "../form/validation_errors";
import { Field } from "./field";

export function StartAtField(props: {
  value: string; // a datetime-local input's; empty: as soon as it can
  complaints: readonly Complaint[] | undefined;
  onValue(value: string): void;
}) {
  const { value, complaints, onValue } = props;
  return (
    <Field name="startAt" label="Start not before" complaints={complaints}>
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
