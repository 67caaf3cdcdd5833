// A labelled field with what is wrong with it, tied together for everybody
// who does not see the page.
import type { ComponentChildren } from "preact";
import type { Complaint, Place } from "./complaints";
import type { FieldName } from "./start_form";

// The attributes that an input of the field carries.
export interface InputProps {
  readonly id: string;
  readonly "data-test": string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

export function Field(props: {
  name: FieldName;
  label: string;
  complaints: readonly Complaint[] | undefined;
  children(input: InputProps): ComponentChildren;
}) {
  const { name, label, complaints } = props;
  const input: InputProps = {
    id: `field-${name}`,
    "data-test": `field-${name}`,
    "aria-invalid": complaints !== undefined,
    "aria-describedby": `violation-${name}`,
  };
  return (
    <div class="field">
      <label for={input.id}>{label}</label>
      {props.children(input)}
      <ComplaintList place={name} complaints={complaints} />
    </div>
  );
}

// Always in the page, so that a screen reader hears what appears in it.
export function ComplaintList(props: {
  place: Place;
  complaints: readonly Complaint[] | undefined;
}) {
  return (
    <div id={`violation-${props.place}`} class="complaints" aria-live="polite">
      {props.complaints?.map(({ message, limit }) => (
        <div
          key={message + limit}
          class="complaint"
          data-test={`violation-${props.place}`}
        >
          <p class="sentence">{message}</p>
          {limit && <p class="complaint-limit">{limit}</p>}
        </div>
      ))}
    </div>
  );
}
