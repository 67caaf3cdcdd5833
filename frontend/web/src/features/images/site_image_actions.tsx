// The administrator's actions on an image.
import { useState } from "preact/hooks";
import { type Image, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { messages } from "#messages/images";

export function SiteImageActions(props: {
  image: Image;
  onChange(): void;
  onDone(what: string): void;
}) {
  const { image, onChange, onDone } = props;
  const { id, fixed, owner, state, check } = image;
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const [removing, setRemoving] = useState(false);
  if (fixed) return null;
  const building = state === ImageState.BUILDING;
  const ofSite = owner === "";

  const startCheck = () =>
    mutation.run(async () => {
      await withReauthentication(() => imageClient.checkImage({ id }));
      onDone(messages.checkStarted({ id }));
    });
  const remove = () =>
    mutation.run(async () => {
      await withReauthentication(() => imageClient.removeSiteImage({ id }));
      setRemoving(false);
      onDone(messages.imageRemoved({ id }));
    });

  return (
    <div class="button-row">
      {mutation.failure && !removing && (
        <FailureNote failure={mutation.failure} />
      )}
      {!building && (ofSite || state !== ImageState.FAILED) && (
        <button
          class="button button-small"
          type="button"
          data-testid={`image-change-${id}`}
          onClick={onChange}
        >
          {messages.change}
        </button>
      )}
      {ofSite && !check?.job && (
        <button
          class="button button-small"
          type="button"
          data-testid={`image-check-${id}`}
          aria-disabled={mutation.busy}
          onClick={() => void startCheck()}
        >
          {messages.checkFile}
        </button>
      )}
      {ofSite && !building && (
        <button
          class="button button-small"
          type="button"
          data-testid={`image-remove-${id}`}
          onClick={() => setRemoving(true)}
        >
          {messages.remove}
        </button>
      )}
      {removing && (
        <ConfirmDialog
          title={messages.removeImage({ id })}
          mutation={mutation}
          confirm={messages.removeLabel}
          onConfirm={() => void remove()}
          close={() => setRemoving(false)}
        >
          <p>{messages.newJobsCannotUseIt}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
