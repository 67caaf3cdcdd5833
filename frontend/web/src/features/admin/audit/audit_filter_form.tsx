import { useState } from "preact/hooks";
import type { FilterField, FilterForm } from "./audit_filter";
import { messages } from "../messages";

export function AuditFilterForm(props: {
  form: FilterForm;
  busy: boolean;
  onFilter(form: FilterForm): void;
}) {
  const { busy, onFilter } = props;
  const [form, setForm] = useState(props.form);
  const input = (field: FilterField, type = "text") => ({
    type,
    "data-testid": `audit-${field}`,
    name: field,
    autocomplete: "off",
    spellcheck: false,
    value: form[field],
    onInput: (event: {
      currentTarget: HTMLInputElement | HTMLSelectElement;
    }) => {
      const { value } = event.currentTarget;
      setForm((old) => ({ ...old, [field]: value }));
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    onFilter(form);
  };
  return (
    <form class="filter" aria-label={messages.filter} onSubmit={submit}>
      <label class="stacked">
        <span>{messages.from}</span>
        <input {...input("since", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>{messages.to}</span>
        <input {...input("until", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>{messages.user}</span>
        <input {...input("actor")} placeholder={messages.any} />
      </label>
      <label class="stacked">
        <span>{messages.operation}</span>
        <input {...input("act")} placeholder={messages.any} />
      </label>
      <label class="stacked">
        <span>{messages.decision}</span>
        <select {...input("decision")}>
          <option value="">{messages.any}</option>
          <option value="allow">{messages.allowed}</option>
          <option value="refuse">{messages.denied}</option>
        </select>
      </label>
      <label class="stacked">
        <span>{messages.text}</span>
        <input {...input("text")} placeholder={messages.auditSearchExample} />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="audit-filter"
        aria-disabled={busy}
      >
        {busy ? messages.loading : messages.apply}
      </button>
    </form>
  );
}
