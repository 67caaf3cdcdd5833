// The frame of a form with filters, whose fields are strings.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { DateField } from "../../ui/form/field";
import { messages } from "#messages/admin";

// What the field `name` needs besides its label. `text` is for fields whose
// text may be anything.
export interface FilterFields<Name extends string> {
  field(name: Name): FilterField;
  text(name: Name): FilterField & { placeholder: string };
}

interface FilterField {
  testId: string;
  name: string;
  value: string;
  onValue(value: string): void;
}

export function FilterForm<Name extends string>(props: {
  prefix: string; // of the fields' test ids
  form: Readonly<Record<Name, string>>;
  busy: boolean;
  onFilter(form: Readonly<Record<Name, string>>): void;
  children(fields: FilterFields<Name>): ComponentChildren;
}) {
  const { prefix, busy, onFilter } = props;
  const [form, setForm] = useState(props.form);
  const field = (name: Name): FilterField => ({
    testId: `${prefix}-${name}`,
    name,
    value: form[name],
    onValue: (value) => setForm((old) => ({ ...old, [name]: value })),
  });
  const text = (name: Name) => ({ ...field(name), placeholder: messages.any });
  const submit = (event: Event) => {
    event.preventDefault();
    onFilter(form);
  };
  return (
    <form class="filter" aria-label={messages.filter} onSubmit={submit}>
      {props.children({ field, text })}
      <button
        class="button button-primary"
        type="submit"
        data-testid={`${prefix}-filter`}
        aria-disabled={busy}
      >
        {busy ? messages.loading : messages.apply}
      </button>
    </form>
  );
}

export function PeriodFields(props: {
  field: FilterFields<"since" | "until">["field"];
}) {
  return (
    <>
      <DateField
        type="datetime-local"
        label={messages.from}
        {...props.field("since")}
      />
      <DateField
        type="datetime-local"
        label={messages.to}
        {...props.field("until")}
      />
    </>
  );
}
