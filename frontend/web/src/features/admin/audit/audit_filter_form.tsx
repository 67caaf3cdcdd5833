import { useState } from "preact/hooks";
import type { FilterField, FilterForm } from "./audit_filter";

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
    <form class="filter" aria-label="Filter" onSubmit={submit}>
      <label class="stacked">
        <span>From</span>
        <input {...input("since", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>To</span>
        <input {...input("until", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>User</span>
        <input {...input("actor")} placeholder="any" />
      </label>
      <label class="stacked">
        <span>Operation</span>
        <input {...input("act")} placeholder="any" />
      </label>
      <label class="stacked">
        <span>Decision</span>
        <select {...input("decision")}>
          <option value="">any</option>
          <option value="allow">allowed</option>
          <option value="refuse">denied</option>
        </select>
      </label>
      <label class="stacked">
        <span>Text</span>
        <input
          {...input("text")}
          placeholder="job, result, address, request ID"
        />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="audit-filter"
        aria-disabled={busy}
      >
        {busy ? "Loading…" : "Apply"}
      </button>
    </form>
  );
}
