// The settings of an environment as fields.
import { useId, useState } from "preact/hooks";
import type { ImageChoice } from "#proto/cluster";
import type { EnvironmentForm } from "#proto/environment_form";
import { Combobox } from "../../../ui/combobox/combobox";
import type { Choice, FormDraft } from "./form_draft";
import { VariableFields } from "./variable_fields";
import { messages } from "#messages/environments";

const kMaxOffered = 20;

export function SettingsForm(props: {
  draft: FormDraft;
  form: EnvironmentForm; // of the text
  images: readonly ImageChoice[];
  isDisabled: boolean;
  onDraft(draft: FormDraft): void;
}) {
  const { draft, form, images, isDisabled, onDraft } = props;
  const set = (next: Partial<FormDraft>) => onDraft({ ...draft, ...next });
  // Afterwards the user opens and closes them.
  const [isOpen] = useState(
    draft.writable !== "" || draft.entrypoint !== "" || draft.devices !== "",
  );
  return (
    <fieldset
      class="settings-form"
      disabled={isDisabled}
      data-testid="environment-form"
    >
      <legend class="sr-only">{messages.settings}</legend>
      <Combobox
        label={messages.image}
        hint={messages.imageHint}
        testId="setting-image"
        value={draft.image}
        options={imagesFor(draft.image, images)}
        more={false}
        warning=""
        onValue={(image) => set({ image })}
        onPick={({ value }) => set({ image: value })}
        onFocus={() => undefined}
      />
      <LinesField
        label={messages.baseEnvironments}
        hint={messages.baseEnvironmentsHint}
        testId="setting-bases"
        value={draft.bases}
        onValue={(bases) => set({ bases })}
      />
      <LinesField
        label={messages.mounts}
        hint={messages.mountsHint}
        testId="setting-mounts"
        value={draft.mounts}
        onValue={(mounts) => set({ mounts })}
      />
      <TextField
        label={messages.workdir}
        hint={messages.workdirHint}
        testId="setting-workdir"
        value={draft.workdir}
        onValue={(workdir) => set({ workdir })}
      />
      <VariableFields
        variables={draft.variables}
        form={form}
        onVariables={(variables) => set({ variables })}
      />
      <details class="more-settings" open={isOpen}>
        <summary data-testid="environment-more-settings">
          {messages.moreSettings}
        </summary>
        <ChoiceOfThree
          label={messages.writable}
          testId="setting-writable"
          value={draft.writable}
          onValue={(writable) => set({ writable })}
        />
        <ChoiceOfThree
          label={messages.entrypoint}
          testId="setting-entrypoint"
          value={draft.entrypoint}
          onValue={(entrypoint) => set({ entrypoint })}
        />
        <LinesField
          label={messages.devices}
          hint={messages.devicesHint}
          testId="setting-devices"
          value={draft.devices}
          onValue={(devices) => set({ devices })}
        />
      </details>
    </fieldset>
  );
}

// The images of the catalogue that the text may mean.
function imagesFor(text: string, images: readonly ImageChoice[]) {
  return images
    .filter(({ id }) => id !== "none")
    .map(({ id, description }) => ({
      value: `store#${id}`,
      label: description,
    }))
    .filter(({ value }) => value.includes(text.trim()) && value !== text)
    .slice(0, kMaxOffered);
}

interface FieldProps {
  label: string;
  hint: string;
  testId: string;
  value: string;
  onValue(value: string): void;
}

function TextField(props: FieldProps) {
  const id = useId();
  return (
    <label class="stacked">
      <span>{props.label}</span>
      <input
        data-testid={props.testId}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={id}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      <span class="hint" id={id}>
        {props.hint}
      </span>
    </label>
  );
}

function LinesField(props: FieldProps) {
  const id = useId();
  const lines = props.value.split("\n").length;
  return (
    <label class="stacked">
      <span>{props.label}</span>
      <textarea
        rows={Math.min(Math.max(lines, 2), 8)}
        data-testid={props.testId}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={id}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      <span class="hint" id={id}>
        {props.hint}
      </span>
    </label>
  );
}

function ChoiceOfThree(props: {
  label: string;
  testId: string;
  value: Choice;
  onValue(value: Choice): void;
}) {
  return (
    <label class="stacked">
      <span>{props.label}</span>
      <select
        data-testid={props.testId}
        value={props.value}
        onChange={(event) => props.onValue(event.currentTarget.value as Choice)}
      >
        <option value="">{messages.unchanged}</option>
        <option value="yes">{messages.yes}</option>
        <option value="no">{messages.no}</option>
      </select>
    </label>
  );
}
