// Applies, saves and deletes presets.
import { useState } from "preact/hooks";
import type { JobSpec } from "#proto/jobs";
import type { ListPresetsResponse } from "#proto/preset";
import { presetClient } from "../../api/template";
import { imageName } from "../images/app_images";
import { sizeLabel } from "../jobs/job_labels";
import { useMutation } from "../../session/use_mutation";
import type { Query } from "../../session/use_query";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { messages } from "#messages/start";

export function PresetsDialog(props: {
  loaded: Query<ListPresetsResponse>;
  spec: JobSpec | undefined; // of the form; undefined: the form is invalid
  onUse(spec: JobSpec): void;
  close(): void;
}) {
  const { loaded, spec, onUse, close } = props;
  const mutation = useMutation();
  const [name, setName] = useState("");
  const wanted = name.trim();
  const known = loaded.value?.presets.some((preset) => preset.name === wanted);

  const save = (event: Event) => {
    event.preventDefault();
    if (!spec || wanted === "") return;
    void mutation.run(async () => {
      await presetClient.savePreset({ preset: { name: wanted, spec } });
      setName("");
      await loaded.reload();
    });
  };
  const remove = (gone: string) =>
    mutation.run(async () => {
      await presetClient.deletePreset({ name: gone });
      await loaded.reload();
    });
  return (
    <Dialog title={messages.presets} wide close={close}>
      <QueryView loaded={loaded}>
        {({ presets }) =>
          presets.length === 0 ? (
            <p class="muted">{messages.noPresetsYetApplyThe}</p>
          ) : (
            <ul class="preset-list">
              {presets.map((preset) => (
                <li
                  key={preset.name}
                  data-testid="preset"
                  data-name={preset.name}
                >
                  <div>
                    <p class="preset-name">{preset.name}</p>
                    <p class="muted small">
                      {preset.spec && summaryOf(preset.spec)}
                    </p>
                  </div>
                  <div class="button-row">
                    <button
                      class="button button-small"
                      type="button"
                      data-testid="preset-use"
                      onClick={() => preset.spec && onUse(preset.spec)}
                    >
                      {messages.apply}{" "}
                      <span class="sr-only">{preset.name}</span>
                    </button>
                    <button
                      class="button button-small"
                      type="button"
                      data-testid="preset-delete"
                      aria-disabled={mutation.busy}
                      onClick={() => void remove(preset.name)}
                    >
                      {messages.deleteLabel}{" "}
                      <span class="sr-only">{preset.name}</span>
                    </button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      <form class="preset-save" onSubmit={save}>
        <label class="stacked">
          <span>{messages.saveCurrentSettingsAsA}</span>
          <input
            data-testid="preset-name"
            autocomplete="off"
            maxLength={64}
            placeholder={messages.presetName}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          {!spec && <span class="hint">{messages.fixTheErrorsInThe}</span>}
        </label>
        {mutation.failure && (
          <FailureNote failure={mutation.failure} testId="preset-failure" />
        )}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            {messages.close}
          </button>
          <button
            class="button button-primary"
            type="submit"
            data-testid="preset-save"
            aria-disabled={mutation.busy || !spec || wanted === ""}
          >
            {mutation.busy
              ? messages.saving
              : known
                ? messages.replace
                : messages.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function summaryOf(spec: JobSpec): string {
  const where = spec.environment || (spec.image && imageName(spec.image));
  return [spec.app, where, ...sizeLabel(spec)].filter(Boolean).join(" · ");
}
