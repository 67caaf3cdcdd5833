// Adds a site image or changes its settings.
import { useState } from "preact/hooks";
import { type Image, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { AudienceChoice } from "./audience_choice";
import { draftOf, type ImageDraft, settingsOf } from "./image_draft";

type TextField = Exclude<keyof ImageDraft, "state" | "roles" | "projects">;

export function ImageForm(props: {
  image: Image | undefined; // absent: a new image
  onDone(what: string): void;
  close(): void;
}) {
  const { image, onDone, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [draft, setDraft] = useState(draftOf(image));
  const [unreadable, setUnreadable] = useState("");
  const set = (field: TextField) => (value: string) =>
    setDraft((before) => ({ ...before, [field]: value }));

  const submit = (event: Event) => {
    event.preventDefault();
    setUnreadable("");
    let settings: ReturnType<typeof settingsOf>;
    try {
      settings = settingsOf(draft);
    } catch (error) {
      setUnreadable(error instanceof Error ? error.message : String(error));
      return;
    }
    void mutation.run(async () => {
      if (image) {
        const { path, sha256 } = draft;
        const file = image.owner
          ? {}
          : { path: path.trim(), sha256: sha256.trim() };
        // An image without a digest becomes active once its file has been
        // checked.
        const state =
          image.state === ImageState.FAILED
            ? ImageState.UNSPECIFIED
            : draft.state;
        const request = { id: image.id, settings, state, ...file };
        await withReauthentication(() => imageClient.changeImage(request));
        onDone(`Image ${image.id} changed.`);
        return;
      }
      const { id, path, sha256 } = draft;
      const request = {
        id: id.trim(),
        path: path.trim(),
        sha256: sha256.trim(),
        settings,
      };
      await withReauthentication(() => imageClient.addImage(request));
      onDone(
        request.sha256
          ? `Image ${request.id} added.`
          : `A job that runs as you computes the digest of ${request.id} first.`,
      );
    });
  };
  return (
    <form class="narrow-form" data-testid="image-form" onSubmit={submit}>
      {!image && (
        <Text
          name="id"
          label="Name and version"
          hint="Such as torch:2.6. Use a new version for a changed file."
          value={draft.id}
          onValue={set("id")}
        />
      )}
      {!image?.owner && (
        <>
          <Text
            name="path"
            label="File"
            hint="Path of a SIF file, readable on all nodes, not writable by users"
            value={draft.path}
            onValue={set("path")}
          />
          <Text
            name="sha256"
            label="SHA-256"
            hint={
              image
                ? "Output of sha256sum. Checked before each start."
                : "Output of sha256sum. Leave empty to compute it with a job."
            }
            value={draft.sha256}
            onValue={set("sha256")}
          />
        </>
      )}
      <Text
        name="description"
        label="Description"
        value={draft.description}
        onValue={set("description")}
      />
      <Text
        name="apps"
        label="Apps"
        hint="Such as jupyter, code. Leave empty for any app."
        value={draft.apps}
        onValue={set("apps")}
      />
      <Lines
        name="mounts"
        label="Mounts"
        hint="One per line: /data, or /data at /mnt, or /data, read only. {user} is replaced by the user name."
        value={draft.mounts}
        onValue={set("mounts")}
      />
      <Lines
        name="variables"
        label="Variables"
        hint="One per line: NAME=value"
        value={draft.variables}
        onValue={set("variables")}
      />
      <Text
        name="driver"
        label="Minimum NVIDIA driver"
        hint="Such as 550.54. Nodes report their driver as a Slurm feature, such as driver-550.54.14."
        value={draft.driver}
        onValue={set("driver")}
      />
      <Text
        name="cuda"
        label="Minimum CUDA version"
        hint="Such as 12.4. Nodes report their CUDA version as a Slurm feature, such as cuda-12.6."
        value={draft.cuda}
        onValue={set("cuda")}
      />
      {!image?.owner && <AudienceChoice draft={draft} onDraft={setDraft} />}
      {image && image.state !== ImageState.FAILED && (
        <label class="stacked">
          <span>State</span>
          <select
            data-testid="image-state"
            value={draft.state}
            onChange={(event) =>
              setDraft({ ...draft, state: Number(event.currentTarget.value) })
            }
          >
            <option value={ImageState.ACTIVE}>Active</option>
            <option value={ImageState.DEPRECATED}>
              Deprecated: usable, shown with a warning
            </option>
            <option value={ImageState.WITHDRAWN}>
              Withdrawn: new jobs cannot use it
            </option>
          </select>
        </label>
      )}
      {unreadable && (
        <div class="note note-bad" role="alert" data-testid="image-unreadable">
          <p class="sentence">{unreadable}</p>
        </div>
      )}
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="image-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="image-save"
          aria-disabled={mutation.busy}
        >
          {mutation.busy ? "Saving…" : image ? "Save" : "Add image"}
        </button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: TextField;
  label: string;
  hint?: string;
  value: string;
  onValue(value: string): void;
}

function Text({ name, label, hint, value, onValue }: FieldProps) {
  return (
    <label class="stacked">
      <span>{label}</span>
      <input
        data-testid={`image-${name}`}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}

function Lines({ name, label, hint, value, onValue }: FieldProps) {
  return (
    <label class="stacked">
      <span>{label}</span>
      <textarea
        class="mono"
        rows={3}
        data-testid={`image-${name}`}
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}
