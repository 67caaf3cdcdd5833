// A field for a name of Slurm, of the directory or of Carme, or for a list of
// names. It offers what there is, takes any text, and warns about names that do
// not exist.
import { useState } from "preact/hooks";
import type { ChoiceKind } from "#proto/choice";
import { Combobox } from "../../ui/combobox/combobox";
import { offered, typedName, warningOf, withName } from "./choice_names";
import { useChoices } from "./use_choices";

export function ChoiceField(props: {
  kind: ChoiceKind;
  list?: boolean; // names separated by commas
  label: string;
  hint?: string;
  errorId?: string | undefined;
  testId: string;
  value: string;
  onValue(value: string): void;
}) {
  const { kind, list = false, value, onValue } = props;
  const [focused, setFocused] = useState(false);
  const { found, unknown } = useChoices(kind, value, list, focused);
  return (
    <Combobox
      label={props.label}
      {...(props.hint && { hint: props.hint })}
      errorId={props.errorId}
      testId={props.testId}
      value={value}
      options={offered(kind, typedName(value, list), found)}
      more={found.more}
      warning={warningOf(kind, unknown)}
      onValue={onValue}
      onPick={(option) => onValue(withName(value, option.value, list))}
      onFocus={() => setFocused(true)}
    />
  );
}
