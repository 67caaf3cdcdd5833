// Saves the configuration of a job as a preset.
import { useState } from "preact/hooks";
import type { JobSpec } from "#proto/jobs";
import { presetClient } from "../../api/template";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { useConfirmation } from "../../ui/toasts";
import { presetSpecOf } from "./form/preset_spec";
import { usePresets } from "./use_presets";
import { messages } from "#messages/start";

export function SavePresetDialog(props: { spec: JobSpec; close(): void }) {
  const { spec, close } = props;
  const presets = usePresets();
  const mutation = useMutation();
  const confirm = useConfirmation();
  const [name, setName] = useState(spec.name);
  const wanted = name.trim();
  const isKnown =
    presets.value?.presets.some((preset) => preset.name === wanted) ?? false;
  const save = () =>
    void mutation.run(async () => {
      const preset = { name: wanted, spec: presetSpecOf(spec) };
      await presetClient.savePreset({ preset });
      confirm(messages.presetSaved({ name: wanted }));
      close();
    });
  return (
    <ConfirmDialog
      title={messages.saveAsPreset}
      mutation={mutation}
      confirm={isKnown ? messages.replace : messages.save}
      tone="primary"
      ready={wanted !== ""}
      onConfirm={save}
      close={close}
    >
      <label class="stacked">
        <span>{messages.presetName}</span>
        <input
          data-testid="preset-name"
          autocomplete="off"
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <p class="muted small">
        {isKnown ? messages.presetIsReplaced : messages.presetAbout}
      </p>
    </ConfirmDialog>
  );
}
