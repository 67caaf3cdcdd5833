// A field for a project: shows its name, and gives its id.
import { useEffect, useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import { useEvent } from "../../lib/use_event";
import { Combobox } from "../../ui/combobox/combobox";
import type { ComboboxOption } from "../../ui/combobox/combobox_input";
import { projectNamed } from "./choice_names";
import { useChoices } from "./use_choices";
import { messages } from "#messages/choices";

export function ProjectField(props: {
  label: string;
  errorId?: string | undefined;
  testId: string;
  id: string;
  onId(id: string): void; // empty: no project has the entered name
}) {
  const { label, testId, id, onId } = props;
  const [text, setText] = useState(id);
  const [focused, setFocused] = useState(false);
  const { found } = useChoices(ChoiceKind.PROJECT, text, false, focused);
  const named = projectNamed(text, found);
  const report = useEvent(onId);
  useEffect(() => {
    if (id === "" && named !== "") report(named);
  }, [id, named, report]);
  const unknown =
    text.trim() !== "" &&
    id === "" &&
    found.complete &&
    found.choices.length === 0;
  const pick = ({ value, label: name }: ComboboxOption) => {
    setText(name || value);
    onId(value);
  };
  return (
    <Combobox
      label={label}
      errorId={props.errorId}
      testId={testId}
      value={text}
      options={id === "" ? found.choices : []}
      more={found.more}
      warning={unknown ? messages.notFound({ names: text.trim() }) : ""}
      onValue={(next) => {
        setText(next);
        onId("");
      }}
      onPick={pick}
      onFocus={() => setFocused(true)}
    />
  );
}
