// Whether a job is for an app that is opened, or runs something by itself.
import { kBatch } from "../form/batch_form";

const kKinds = [
  ["", "Interactive", "An app that you open"],
  [kBatch, "Batch", "A command or a script that runs by itself"],
] as const;

export function KindChoice(props: {
  chosen: string;
  onChoose(kind: string): void;
}) {
  const { chosen, onChoose } = props;
  return (
    <fieldset class="field kind-choice" data-testid="field-kind">
      <legend class="sr-only">Kind of job</legend>
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
