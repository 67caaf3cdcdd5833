// The filter of the job history. A change applies at once; text applies when
// the user pauses.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Project } from "#proto/project";
import {
  type FilterField,
  type FilterForm,
  kBlankFilter,
  kEnds,
  kEndLabels,
  queryOfFilter,
} from "./history_filter";
import type { OwnerChoice } from "./owner_filter";
import { messages } from "#messages/insights";

const kTypingMs = 350;

export function HistoryFilterForm(props: {
  form: FilterForm;
  choices: readonly OwnerChoice[];
  projects: readonly Project[];
  gpuTypes: readonly string[];
  onFilter(form: FilterForm): void;
}) {
  const { choices, projects, gpuTypes, onFilter } = props;
  const [form, setForm] = useState(props.form);
  const shown = queryOfFilter(props.form);
  const applied = useRef(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address changed otherwise: by a link, or by going back.
  useEffect(() => {
    if (shown === applied.current) return;
    clearTimeout(timer.current);
    applied.current = shown;
    setForm(props.form);
  }, [shown, props.form]);

  const apply = (next: FilterForm, delayMs: number) => {
    setForm(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const query = queryOfFilter(next);
      if (query === applied.current) return;
      applied.current = query;
      onFilter(next);
    }, delayMs);
  };
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
      apply({ ...form, [field]: value }, type === "text" ? kTypingMs : 0);
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    apply(form, 0);
  };
  const isFiltered = queryOfFilter(form) !== queryOfFilter(blankOf(form));
  const types = [...new Set([...gpuTypes, form.gpu].filter(Boolean))];
  return (
    <form
      class="filter history-filter"
      aria-label={messages.filter}
      onSubmit={submit}
    >
      {choices.length > 1 && (
        <label class="stacked">
          <span>{messages.owner}</span>
          <select {...input("owner", "select")}>
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
        <span>{messages.search}</span>
        <input
          {...input("search")}
          maxLength={100}
          placeholder={messages.nameIdOrReason}
        />
      </label>
      <label class="stacked">
        <span>{messages.outcome}</span>
        <select {...input("end", "select")}>
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
          <select {...input("project", "select")}>
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
        <select {...input("gpu", "select")}>
          <option value="">{messages.any}</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </label>
      <label class="stacked">
        <span>{messages.endedFrom}</span>
        <input {...input("from", "date")} />
      </label>
      <label class="stacked">
        <span>{messages.endedTo}</span>
        <input {...input("to", "date")} />
      </label>
      {isFiltered && (
        <button
          class="link-button"
          type="button"
          data-testid="history-clear"
          onClick={() => apply(blankOf(form), 0)}
        >
          {messages.clearFilters}
        </button>
      )}
    </form>
  );
}

// The owner is not a filter but whose jobs are listed.
function blankOf({ owner }: FilterForm): FilterForm {
  return { ...kBlankFilter, owner };
}
