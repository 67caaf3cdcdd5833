// Fields of forms: a label, its control and a hint. Only the label names the
// control: the hint and an error describe it, so that screen readers read them
// after its name.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useId } from "preact/hooks";

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  describedBy?: string | undefined; // id of a text elsewhere about the value
  // Id of the message about the value. A form sets it after an attempt to submit:
  // what the user has not completed yet is not an error.
  errorId?: string | undefined;
  testId: string;
}

// The attributes of the field's <input>, <select> or <textarea>.
export interface ControlAttributes {
  readonly "data-testid": string;
  readonly "aria-labelledby": string | undefined;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

export function Field(
  props: FieldProps & {
    children(control: ControlAttributes): ComponentChildren;
  },
) {
  const { label, hint, describedBy, errorId, testId } = props;
  const id = useId();
  const labelId = hint ? `${id}-label` : undefined;
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <label class="stacked">
      <span id={labelId}>{label}</span>
      {props.children({
        "data-testid": testId,
        "aria-labelledby": labelId,
        "aria-describedby": idList(hintId, describedBy, errorId),
        "aria-invalid": errorId === undefined ? undefined : true,
      })}
      {hint && (
        <span class="hint" id={hintId}>
          {hint}
        </span>
      )}
    </label>
  );
}

// The value of aria-describedby.
export function idList(
  ...ids: readonly (string | undefined)[]
): string | undefined {
  return ids.filter(Boolean).join(" ") || undefined;
}

// For names, ids and paths. With `spellcheck`, for text that people write.
export function TextField(
  props: FieldProps & {
    value: string;
    onValue(value: string): void;
    inputRef?: RefObject<HTMLInputElement>;
  } & Pick<
      JSX.InputHTMLAttributes<HTMLInputElement>,
      | "autocapitalize"
      | "class"
      | "inputMode"
      | "maxLength"
      | "name"
      | "placeholder"
      | "spellcheck"
      | "type"
    >,
) {
  const { value, onValue, inputRef, spellcheck } = props;
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...control}
          ref={inputRef ?? null}
          class={props.class}
          type={props.type}
          name={props.name}
          autocomplete="off"
          autocapitalize={props.autocapitalize}
          spellcheck={spellcheck ? undefined : false}
          inputMode={props.inputMode}
          maxLength={props.maxLength}
          placeholder={props.placeholder}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

// For lists and settings with one entry a line. With `spellcheck`, for text that
// people write.
export function TextArea(
  props: FieldProps & {
    rows: number;
    value: string;
    onValue(value: string): void;
  } & Pick<
      JSX.TextareaHTMLAttributes<HTMLTextAreaElement>,
      "autocapitalize" | "class" | "maxLength" | "placeholder" | "spellcheck"
    >,
) {
  const { value, onValue, spellcheck } = props;
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          {...control}
          class={props.class}
          rows={props.rows}
          autocomplete="off"
          autocapitalize={props.autocapitalize}
          spellcheck={spellcheck ? undefined : false}
          maxLength={props.maxLength}
          placeholder={props.placeholder}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export type SelectOption<Value> = readonly [
  value: Value,
  text: string | undefined,
];

// One of several values, which are strings or members of an enum.
export function SelectField<Value extends string | number>(
  props: FieldProps & {
    name?: string;
    value: Value;
    options: readonly SelectOption<Value>[];
    onValue(value: NoInfer<Value>): void;
  },
) {
  const { value, options, onValue } = props;
  // The page has texts only.
  const choose = (text: string) => {
    const option = options.find(([each]) => String(each) === text);
    if (option) onValue(option[0]);
  };
  return (
    <Field {...props}>
      {(control) => (
        <select
          {...control}
          name={props.name}
          value={String(value)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={String(each)}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

// A day or a time of day. The value is that of the input
// (lib/format/date_inputs.ts).
export function DateField(
  props: FieldProps & {
    type?: "date" | "time" | "datetime-local"; // absent: date
    name?: string;
    value: string;
    onValue(value: string): void;
  },
) {
  const { type = "date", value, onValue } = props;
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...control}
          type={type}
          name={props.name}
          autocomplete="off"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

// A checkbox. Its children are the label.
export function CheckField(props: {
  hint?: string;
  testId: string;
  checked: boolean;
  disabled?: boolean;
  onChecked(checked: boolean): void;
  children: ComponentChildren;
}) {
  const { hint, testId, checked, disabled, onChecked } = props;
  const id = useId();
  const field = (
    <label class="check">
      <input
        type="checkbox"
        data-testid={testId}
        aria-describedby={hint && id}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span>{props.children}</span>
    </label>
  );
  if (!hint) return field;
  return (
    <div>
      {field}
      <p class="hint" id={id}>
        {hint}
      </p>
    </div>
  );
}
