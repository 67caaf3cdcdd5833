// A labelled field with what is wrong with it, tied together for everybody
// who does not see the page.
import type { ComponentChildren } from "preact";
import type { Complaint, Place } from "../form/validation_errors";
import type { FieldName } from "../form/start_form";

// The attributes that an input of the field carries.
export interface InputProps {
  readonly id: string;
  readonly "data-test": string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

export function Field(props: {
  scope?: string; // of a second form in the page
  name: FieldName;
  label: string;
  complaints: readonly Complaint[] | undefined;
  children(input: InputProps): ComponentChildren;
}) {
  const { scope = "", name, label, complaints } = props;
  const id = scoped(scope, `field-${name}`);
  const input: InputProps = {
    id,
    "data-test": id,
    "aria-invalid": complaints !== undefined,
    "aria-describedby": scoped(scope, `violation-${name}`),
  };
  return (
    <div class="field">
      <label for={input.id}>{label}</label>
      {props.children(input)}
      <ComplaintList scope={scope} place={name} complaints={complaints} />
    </div>
  );
}

function scoped(scope: string, name: string): string {
  return scope ? `${scope}-${name}` : name;
}

// Always in the page, so that a screen reader hears what appears in it.
export function ComplaintList(props: {
  scope?: string;
  place: Place;
  complaints: readonly Complaint[] | undefined;
}) {
  const id = scoped(props.scope ?? "", `violation-${props.place}`);
  return (
    <div id={id} class="complaints" aria-live="polite">
      {props.complaints?.map(({ message, limit }) => (
        <div key={message + limit} class="complaint" data-test={id}>
          <p class="sentence">{message}</p>
          {limit && <p class="complaint-limit">{limit}</p>}
        </div>
      ))}
    </div>
  );
}
