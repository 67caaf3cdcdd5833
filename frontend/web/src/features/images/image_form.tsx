// Adds a site image or changes its settings.
import { useState } from "preact/hooks";
import { type Image, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { AudienceChoice } from "./audience_choice";
import { draftOf, type ImageDraft, draftToSettings } from "./image_draft";
import { FormError, useFormError } from "../../ui/form/form_error";
import { SelectField, TextArea, TextField } from "../../ui/form/field";
import { FieldError } from "../../lib/field_error";
import { messages } from "#messages/images";

type TextOfDraft = Exclude<keyof ImageDraft, "state" | "roles" | "projects">;

const kStates = [
  [ImageState.ACTIVE, messages.active],
  [ImageState.DEPRECATED, messages.deprecatedUsableShownWithA],
  [ImageState.WITHDRAWN, messages.withdrawnNewJobsCannotUse],
] as const;

export function ImageForm(props: {
  image: Image | undefined; // absent: a new image
  onDone(what: string): void;
  close(): void;
}) {
  const { image, onDone, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [draft, setDraft] = useState(draftOf(image));
  const { error, setError, errorIdOf } = useFormError();
  const text = (field: TextOfDraft) => ({
    errorId: errorIdOf(field),
    testId: `image-${field}`,
    value: draft[field],
    onValue: (value: string) => {
      setError(undefined);
      setDraft((before) => ({ ...before, [field]: value }));
    },
  });

  const submit = (event: Event) => {
    event.preventDefault();
    setError(undefined);
    let settings: ReturnType<typeof draftToSettings>;
    try {
      settings = draftToSettings(draft);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      setError(error);
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
        <TextField
          {...text("id")}
          label={messages.nameAndVersion}
          hint={messages.suchAsTorch26}
        />
      )}
      {!image?.owner && (
        <>
          <TextField
            {...text("path")}
            label={messages.file}
            hint={messages.pathOfASifFile}
          />
          <TextField
            {...text("sha256")}
            label={messages.sha256}
            hint={
              image
                ? messages.outputOfSha256sumCheckedBefore
                : messages.outputOfSha256sumLeaveEmpty
            }
          />
        </>
      )}
      <TextField {...text("description")} label={messages.description} />
      <TextField
        {...text("apps")}
        label={messages.apps}
        hint={messages.suchAsJupyterCodeLeave}
      />
      <TextArea
        {...text("mounts")}
        class="mono"
        rows={3}
        label={messages.mounts}
        hint={messages.onePerLineDataOr}
      />
      <TextArea
        {...text("variables")}
        class="mono"
        rows={3}
        label={messages.variables}
        hint={messages.onePerLineNameValue}
      />
      <TextField
        {...text("driver")}
        label={messages.minimumNvidiaDriver}
        hint={messages.suchAs55054Nodes}
      />
      <TextField
        {...text("cuda")}
        label={messages.minimumCudaVersion}
        hint={messages.suchAs124Nodes}
      />
      {!image?.owner && <AudienceChoice draft={draft} onDraft={setDraft} />}
      {image && image.state !== ImageState.FAILED && (
        <SelectField
          label={messages.state}
          testId="image-state"
          value={draft.state}
          options={kStates}
          onValue={(state) => setDraft({ ...draft, state })}
        />
      )}
      {error && <FormError {...error} testId="image-unreadable" />}
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
