// The error of the last attempt to submit a form. The form shows it in one place,
// and the field that it is about refers to it.
import { useId, useState } from "preact/hooks";
import type { FieldError } from "../../lib/field_error";

export function useFormError<Field extends string>() {
  const id = useId();
  const [error, setError] = useState<FieldError<Field>>();
  return {
    error: error && { id, text: error.message },
    setError, // undefined after a change: the user corrects it
    errorIdOf: (field: Field) => (error?.field === field ? id : undefined),
  };
}

export function FormError(props: {
  id?: string;
  text: string;
  testId: string;
}) {
  return (
    <div
      class="note note-bad"
      role="alert"
      id={props.id}
      data-testid={props.testId}
    >
      <p class="sentence">{props.text}</p>
    </div>
  );
}
