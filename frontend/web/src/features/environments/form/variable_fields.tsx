// Environment variables, one per row.
import { Icon } from "../../../ui/icon";
import { repeatedIn, type Variable } from "./form_draft";
import { messages } from "#messages/environments";

export function VariableFields(props: {
  variables: readonly Variable[];
  onVariables(variables: readonly Variable[]): void;
}) {
  const { variables, onVariables } = props;
  const repeated = repeatedIn(variables);
  const change = (at: number, next: Partial<Variable>) =>
    onVariables(
      variables.map((row, index) => (index === at ? { ...row, ...next } : row)),
    );
  return (
    <fieldset class="variable-fields">
      <legend>{messages.variables}</legend>
      {variables.map(({ name, value }, at) => (
        <div key={at} class="variable-row">
          <input
            aria-label={messages.variableName({ number: at + 1 })}
            data-testid="variable-name"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={repeated.includes(name.trim())}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <input
            aria-label={messages.variableValue({ number: at + 1 })}
            data-testid="variable-value"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={value}
            onInput={(event) =>
              change(at, { value: event.currentTarget.value })
            }
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
