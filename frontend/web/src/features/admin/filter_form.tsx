// The frame of a form with filters, whose fields are strings.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messages } from "#messages/admin";

type Field = HTMLInputElement | HTMLSelectElement;

// What `name` needs as an <input> or as a <select>.
export interface FilterFields<Name extends string> {
  input(name: Name, type?: string): object;
  select(name: Name): object;
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
  const select = (name: Name) => ({
    "data-testid": `${prefix}-${name}`,
    name,
    value: form[name],
    onInput: (event: { currentTarget: Field }) => {
      const { value } = event.currentTarget;
      setForm((old) => ({ ...old, [name]: value }));
    },
  });
  const input = (name: Name, type = "text") => ({
    ...select(name),
    type,
    autocomplete: "off",
    spellcheck: false,
    ...(type === "text" && { placeholder: messages.any }),
  });
  const submit = (event: Event) => {
    event.preventDefault();
    onFilter(form);
  };
  return (
    <form class="filter" aria-label={messages.filter} onSubmit={submit}>
      {props.children({ input, select })}
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

// One field with its label.
export function LabelledField(props: {
  text: string;
  children: ComponentChildren;
}) {
  return (
    <label class="stacked">
      <span>{props.text}</span>
      {props.children}
    </label>
  );
}

export function PeriodFields(props: {
  input: FilterFields<"since" | "until">["input"];
}) {
  return (
    <>
      <LabelledField text={messages.from}>
        <input {...props.input("since", "datetime-local")} />
      </LabelledField>
      <LabelledField text={messages.to}>
        <input {...props.input("until", "datetime-local")} />
      </LabelledField>
    </>
  );
}
