// Environment variables, one per row.
import type { EnvironmentForm } from "#proto/environment_form";
import { Icon } from "../../../ui/icon";
import { repeatedIn, type Variable, writtenName } from "./form_draft";
import { messages } from "#messages/environments";

export function VariableFields(props: {
  variables: readonly Variable[];
  form: EnvironmentForm; // of the text
  onVariables(variables: readonly Variable[]): void;
}) {
  const { variables, form, onVariables } = props;
  const repeated = repeatedIn(variables, form);
  const change = (at: number, next: Partial<Variable>) =>
    onVariables(
      variables.map((row, index) => (index === at ? { ...row, ...next } : row)),
    );
  return (
    <fieldset class="variable-fields">
      <legend>{messages.variables}</legend>
      {variables.map(({ name, value, isMultiline }, at) => (
        <div key={at} class="variable-row">
          <input
            aria-label={messages.variableName({ number: at + 1 })}
            data-testid="variable-name"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={repeated.includes(writtenName(name, form))}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <ValueField
            label={messages.variableValue({ number: at + 1 })}
            value={value}
            isMultiline={isMultiline ?? false}
            onValue={(value) => change(at, { value })}
          />
          <button
            class="icon-button"
            type="button"
            aria-label={messages.removeVariable({ number: at + 1 })}
            data-testid="variable-remove"
            onClick={() =>
              onVariables(variables.filter((_, index) => index !== at))
            }
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <p class="field-error" aria-live="polite" hidden={repeated.length === 0}>
        {repeated.length > 0 &&
          messages.variableTwice({ names: repeated.join(", ") })}
      </p>
      <button
        class="button button-small"
        type="button"
        data-testid="variable-add"
        onClick={() => onVariables([...variables, { name: "", value: "" }])}
      >
        <Icon name="plus" /> {messages.addVariable}
      </button>
    </fieldset>
  );
}

// An <input> would remove line breaks.
export function ValueField(props: {
  label: string;
  value: string;
  isMultiline: boolean;
  onValue(value: string): void;
}) {
  const { label, value, isMultiline, onValue } = props;
  const attributes = {
    "aria-label": label,
    "data-testid": "variable-value",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    value,
  } as const;
  if (!isMultiline) {
    return (
      <input
        {...attributes}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    );
  }
  return (
    <textarea
      {...attributes}
      rows={Math.min(value.split("\n").length, 8)}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}
