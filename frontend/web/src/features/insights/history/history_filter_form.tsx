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
import { DateField, SelectField, TextField } from "../../../ui/form/field";
import { messages } from "#messages/insights";

const kTypingMs = 350;
const kAny = ["", messages.any] as const;

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
  const field = (name: FilterField, delayMs = 0) => ({
    testId: `history-${name}`,
    name,
    value: form[name],
    onValue: (value: string) => apply({ ...form, [name]: value }, delayMs),
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
        <SelectField
          label={messages.owner}
          options={choices.map(({ value, label }) => [value, label])}
          {...field("owner")}
        />
      )}
      {form.owner !== "" && (
        <TextField
          label={messages.user}
          placeholder={messages.any}
          {...field("user", kTypingMs)}
        />
      )}
      <TextField
        label={messages.search}
        maxLength={100}
        placeholder={messages.nameIdOrReason}
        {...field("search", kTypingMs)}
      />
      <SelectField
        label={messages.outcome}
        options={[
          kAny,
          ...Object.keys(kEnds).map((end) => [end, kEndLabels[end]] as const),
        ]}
        {...field("end")}
      />
      {projects.length > 0 && form.owner === "" && (
        <SelectField
          label={messages.project}
          options={[
            kAny,
            ...projects.map(
              ({ id, settings }) => [id, settings?.name ?? id] as const,
            ),
          ]}
          {...field("project")}
        />
      )}
      <SelectField
        label={messages.gpuType}
        options={[kAny, ...types.map((type) => [type, type] as const)]}
        {...field("gpu")}
      />
      <DateField label={messages.endedFrom} {...field("from")} />
      <DateField label={messages.endedTo} {...field("to")} />
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
