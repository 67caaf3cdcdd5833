import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import {
  type FilterField,
  type FilterForm,
  kEnds,
  kEndLabels,
} from "./history_filter";
import type { OwnerChoice } from "./owner_filter";
import { messages } from "../messages";

export function HistoryFilterForm(props: {
  form: FilterForm;
  choices: readonly OwnerChoice[];
  projects: readonly Project[];
  busy: boolean;
  onFilter(form: FilterForm): void;
}) {
  const { choices, projects, busy, onFilter } = props;
  const [form, setForm] = useState(props.form);
  const input = (field: FilterField, type = "text") => ({
    type,
    "data-testid": `history-${field}`,
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
      {choices.length > 1 && (
        <label class="stacked">
          <span>{messages.owner}</span>
          <select {...input("owner")}>
            {choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {form.owner !== "" && (
        <label class="stacked">
          <span>{messages.user}</span>
          <input {...input("user")} placeholder={messages.any} />
        </label>
      )}
      <label class="stacked">
        <span>{messages.text}</span>
        <input
          {...input("search")}
          maxLength={100}
          placeholder={messages.nameIdOrReason}
        />
      </label>
      <label class="stacked">
        <span>{messages.outcome}</span>
        <select {...input("end")}>
          <option value="">{messages.any}</option>
          {Object.keys(kEnds).map((end) => (
            <option key={end} value={end}>
              {kEndLabels[end]}
            </option>
          ))}
        </select>
      </label>
      {projects.length > 0 && form.owner === "" && (
        <label class="stacked">
          <span>{messages.project}</span>
          <select {...input("project")}>
            <option value="">{messages.any}</option>
            {projects.map(({ id, settings }) => (
              <option key={id} value={id}>
                {settings?.name ?? id}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="stacked">
        <span>{messages.gpuType}</span>
        <input {...input("gpu")} placeholder={messages.any} />
      </label>
      <label class="stacked">
        <span>{messages.endedFrom}</span>
        <input {...input("from", "date")} />
      </label>
      <label class="stacked">
        <span>{messages.to}</span>
        <input {...input("to", "date")} />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="history-show"
        aria-disabled={busy}
      >
        {busy ? messages.loading : messages.apply}
      </button>
    </form>
  );
}
