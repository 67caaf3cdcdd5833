import { useState } from "preact/hooks";
import { messages } from "../messages";
import {
  kServices,
  type LogFilterField,
  type LogFilterForm as Form,
} from "./log_filter";

export function LogFilterForm(props: {
  form: Form;
  busy: boolean;
  onFilter(form: Form): void;
}) {
  const { busy, onFilter } = props;
  const [form, setForm] = useState(props.form);
  const field = (name: LogFilterField) => ({
    "data-testid": `log-${name}`,
    name,
    value: form[name],
    onInput: (event: {
      currentTarget: HTMLInputElement | HTMLSelectElement;
    }) => {
      const { value } = event.currentTarget;
      setForm((old) => ({ ...old, [name]: value }));
    },
  });
  const input = (name: LogFilterField, type = "text") => ({
    ...field(name),
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
      <label class="stacked">
        <span>{messages.from}</span>
        <input {...input("since", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>{messages.to}</span>
        <input {...input("until", "datetime-local")} />
      </label>
      <label class="stacked">
        <span>{messages.job}</span>
        <input {...input("job")} />
      </label>
      <label class="stacked">
        <span>{messages.node}</span>
        <input {...input("node")} />
      </label>
      <label class="stacked">
        <span>{messages.service}</span>
        <select {...field("service")}>
          <option value="">{messages.any}</option>
          {kServices.map((service) => (
            <option key={service} value={service}>
              {service}
            </option>
          ))}
        </select>
      </label>
      <label class="stacked">
        <span>{messages.level}</span>
        <select {...field("level")}>
          <option value="">{messages.warningsAndErrors}</option>
          <option value="error">{messages.errorsOnly}</option>
        </select>
      </label>
      <label class="stacked">
        <span>{messages.requestId}</span>
        <input {...input("request")} />
      </label>
      <button
        class="button button-primary"
        type="submit"
        data-testid="log-filter"
        aria-disabled={busy}
      >
        {busy ? messages.loading : messages.apply}
      </button>
    </form>
  );
}
