// Selects an interactive or a batch job.
import { kBatch } from "../form/batch_form";
import { messages } from "#messages/start";

const kKinds = [
  ["", messages.interactive, messages.anAppInTheBrowser],
  [kBatch, messages.batch, messages.aCommandOrScript],
] as const;

export function KindChoice(props: {
  chosen: string;
  onChoose(kind: string): void;
}) {
  const { chosen, onChoose } = props;
  return (
    <fieldset class="field kind-choice" data-testid="field-kind">
      <legend class="sr-only">{messages.jobType}</legend>
      {kKinds.map(([kind, label, hint]) => (
        <label key={kind} class="kind" title={hint}>
          <input
            type="radio"
            name="kind"
            class="cover-input"
            data-testid={`kind-${kind || "interactive"}`}
            checked={kind === chosen}
            onChange={() => onChoose(kind)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
