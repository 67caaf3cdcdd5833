// Adds a site image or changes its settings.
import { useState } from "preact/hooks";
import { type Image, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { AudienceChoice } from "./audience_choice";
import { draftOf, type ImageDraft, draftToSettings } from "./image_draft";
import { messages } from "#messages/images";

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
    let settings: ReturnType<typeof draftToSettings>;
    try {
      settings = draftToSettings(draft);
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
        onDone(messages.imageChanged({ id: image.id }));
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
          ? messages.imageAdded({ id: request.id })
          : messages.digestStarted({ id: request.id }),
      );
    });
  };
  return (
    <form class="narrow-form" data-testid="image-form" onSubmit={submit}>
      {!image && (
        <Text
          name="id"
          label={messages.nameAndVersion}
          hint={messages.suchAsTorch26}
          value={draft.id}
          onValue={set("id")}
        />
      )}
      {!image?.owner && (
        <>
          <Text
            name="path"
            label={messages.file}
            hint={messages.pathOfASifFile}
            value={draft.path}
            onValue={set("path")}
          />
          <Text
            name="sha256"
            label={messages.sha256}
            hint={
              image
                ? messages.outputOfSha256sumCheckedBefore
                : messages.outputOfSha256sumLeaveEmpty
            }
            value={draft.sha256}
            onValue={set("sha256")}
          />
        </>
      )}
      <Text
        name="description"
        label={messages.description}
        value={draft.description}
        onValue={set("description")}
      />
      <Text
        name="apps"
        label={messages.apps}
        hint={messages.suchAsJupyterCodeLeave}
        value={draft.apps}
        onValue={set("apps")}
      />
      <Lines
        name="mounts"
        label={messages.mounts}
        hint={messages.onePerLineDataOr}
        value={draft.mounts}
        onValue={set("mounts")}
      />
      <Lines
        name="variables"
        label={messages.variables}
        hint={messages.onePerLineNameValue}
        value={draft.variables}
        onValue={set("variables")}
      />
      <Text
        name="driver"
        label={messages.minimumNvidiaDriver}
        hint={messages.suchAs55054Nodes}
        value={draft.driver}
        onValue={set("driver")}
      />
      <Text
        name="cuda"
        label={messages.minimumCudaVersion}
        hint={messages.suchAs124Nodes}
        value={draft.cuda}
        onValue={set("cuda")}
      />
      {!image?.owner && <AudienceChoice draft={draft} onDraft={setDraft} />}
      {image && image.state !== ImageState.FAILED && (
        <label class="stacked">
          <span>{messages.state}</span>
          <select
            data-testid="image-state"
            value={draft.state}
            onChange={(event) =>
              setDraft({ ...draft, state: Number(event.currentTarget.value) })
            }
          >
            <option value={ImageState.ACTIVE}>{messages.active}</option>
            <option value={ImageState.DEPRECATED}>
              {messages.deprecatedUsableShownWithA}
            </option>
            <option value={ImageState.WITHDRAWN}>
              {messages.withdrawnNewJobsCannotUse}
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
          {mutation.busy
            ? messages.saving
            : image
              ? messages.save
              : messages.addImage}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
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
