// The settings of an environment as fields.
import { useState } from "preact/hooks";
import type { ImageChoice } from "#proto/cluster";
import type { EnvironmentForm } from "#proto/environment_form";
import { Combobox } from "../../../ui/combobox/combobox";
import type { Choice, FormDraft } from "./form_draft";
import { VariableFields } from "./variable_fields";
import {
  SelectField,
  type SelectOption,
  TextArea,
  TextField,
} from "../../../ui/form/field";
import { messages } from "#messages/environments";

const kMaxOffered = 20;

const kYesNo: readonly SelectOption<Choice>[] = [
  ["", messages.unchanged],
  ["yes", messages.yes],
  ["no", messages.no],
];

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
        <SelectField
          options={kYesNo}
          label={messages.writable}
          testId="setting-writable"
          value={draft.writable}
          onValue={(writable) => set({ writable })}
        />
        <SelectField
          options={kYesNo}
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

// Its height follows the text.
function LinesField(props: {
  label: string;
  hint: string;
  testId: string;
  value: string;
  onValue(value: string): void;
}) {
  const lines = props.value.split("\n").length;
  return (
    <TextArea
      {...props}
      rows={Math.min(Math.max(lines, 2), 8)}
      autocapitalize="off"
    />
  );
}
