// A labelled field with its validation errors, linked for screen readers.
import type { ComponentChildren } from "preact";
import { kFieldLabels } from "../form/field_labels";
import type { ValidationError, Place } from "../form/validation_errors";
import type { FieldName } from "../form/start_form";

// The attributes of the field's input.
export interface InputProps {
  readonly id: string;
  readonly "data-testid": string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

export function Field(props: {
  scope?: string; // prefix for a second form in the page
  name: FieldName;
  label?: string; // default: the label of the field in the start form
  side?: ComponentChildren; // at the other end of the label's line
  validationErrors: readonly ValidationError[] | undefined;
  children(input: InputProps): ComponentChildren;
}) {
  const { scope = "", name, validationErrors } = props;
  const label = props.label ?? kFieldLabels[name];
  const id = scoped(scope, `field-${name}`);
  const input: InputProps = {
    id,
    "data-testid": id,
    "aria-invalid": validationErrors !== undefined,
    "aria-describedby": scoped(scope, `violation-${name}`),
  };
  return (
    <div class="field">
      {props.side ? (
        <div class="field-head">
          <label for={input.id}>{label}</label>
          <span class="field-side">{props.side}</span>
        </div>
      ) : (
        <label for={input.id}>{label}</label>
      )}
      {props.children(input)}
      <ValidationErrorList
        scope={scope}
        place={name}
        validationErrors={validationErrors}
      />
    </div>
  );
}

function scoped(scope: string, name: string): string {
  return scope ? `${scope}-${name}` : name;
}

// Always in the page, so that screen readers announce new errors.
export function ValidationErrorList(props: {
  scope?: string;
  place: Place;
  validationErrors: readonly ValidationError[] | undefined;
}) {
  const id = scoped(props.scope ?? "", `violation-${props.place}`);
  return (
    <div id={id} class="field-errors" aria-live="polite">
      {props.validationErrors?.map(({ message, limit }) => (
        <div key={message + limit} class="field-error" data-testid={id}>
          <p class="sentence" title={limit}>
            {message}
          </p>
        </div>
      ))}
    </div>
  );
}
