// A text field that offers values, with its label and messages. Any other text can
// be entered, too.
import { useId } from "preact/hooks";
import { idList } from "../form/field";
import { ComboboxInput, type ComboboxOption } from "./combobox_input";

export function Combobox(props: {
  label: string;
  hint?: string;
  errorId?: string | undefined; // as of a Field
  testId: string; // of the field; the list has "-list" after it
  value: string;
  options: readonly ComboboxOption[];
  more: boolean; // there are more options than these
  warning: string; // about the value; empty: none
  onValue(value: string): void;
  onPick(option: ComboboxOption): void;
  onFocus(): void;
}) {
  const { label, hint, errorId, testId, warning } = props;
  const id = useId();
  const hintId = hint && `${id}-hint`;
  const warningId = warning && `${id}-warning`;
  return (
    <div class="field combobox">
      <label for={id}>{label}</label>
      <ComboboxInput
        control={{
          id,
          "data-testid": testId,
          "aria-describedby": idList(hintId, warningId, errorId),
          "aria-invalid": errorId === undefined ? undefined : true,
        }}
        label={label}
        value={props.value}
        options={props.options}
        more={props.more}
        onValue={props.onValue}
        onPick={props.onPick}
        onFocus={props.onFocus}
      />
      {hint && (
        <span class="hint" id={hintId}>
          {hint}
        </span>
      )}
      {warning && (
        <span
          class="hint combobox-warning"
          id={warningId}
          data-testid={`${testId}-warning`}
        >
          {warning}
        </span>
      )}
    </div>
  );
}
