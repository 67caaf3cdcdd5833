// The owner's actions on an image: share, withdraw, remove.
import { create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type Image, ImageShareSchema, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { useProjects } from "../projects/projects_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { partnerOf } from "./image_labels";
import { PartnerChoice } from "./partner_choice";
import { messages } from "#messages/images";

export function OwnImageActions(props: {
  image: Image;
  onDone(what: string): void;
}) {
  const { image, onDone } = props;
  const { id, state } = image;
  const mutation = useMutation();
  const [open, setOpen] = useState<"share" | "remove">();
  const [partner, setPartner] = useState(() => create(ImageShareSchema));
  const projects = useProjects();
  const made = state !== ImageState.BUILDING && state !== ImageState.FAILED;
  const withdrawn = state === ImageState.WITHDRAWN;

  const close = () => {
    setOpen(undefined);
    setPartner(create(ImageShareSchema));
  };
  const offer = () =>
    mutation.run(async () => {
      const { group, project } = partner;
      await imageClient.requestImageShare({ id, group, project });
      close();
      const name = partnerOf(partner, projects);
      onDone(messages.imageOffered({ id, partner: name }));
    });
  const remove = () =>
    mutation.run(async () => {
      await imageClient.removeImage({ id });
      close();
      onDone(messages.imageRemovedFromList({ id }));
    });
  const toggle = () =>
    mutation.run(async () => {
      const next = withdrawn ? ImageState.ACTIVE : ImageState.WITHDRAWN;
      await imageClient.setImageState({ id, state: next });
      onDone(
        withdrawn
          ? messages.imageReactivated({ id })
          : messages.imageWithdrawn({ id }),
      );
    });

  return (
    <div class="button-row">
      {mutation.failure && !open && <FailureNote failure={mutation.failure} />}
      {made && (
        <>
          <button
            class="button button-small"
            type="button"
            data-testid={`image-share-${id}`}
            onClick={() => setOpen("share")}
          >
            {messages.share}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid={`image-toggle-${id}`}
            aria-disabled={mutation.busy}
            onClick={() => void toggle()}
          >
            {withdrawn ? messages.reactivate : messages.withdraw}
          </button>
        </>
      )}
      {state !== ImageState.BUILDING && (
        <button
          class="button button-small"
          type="button"
          data-testid={`image-remove-${id}`}
          onClick={() => setOpen("remove")}
        >
          {messages.remove}
        </button>
      )}
      {open === "share" && (
        <ConfirmDialog
          title={messages.shareImage({ id })}
          mutation={mutation}
          confirm={messages.offer}
          ready={partner.group !== "" || partner.project !== ""}
          onConfirm={() => void offer()}
          close={close}
        >
          <p>{messages.aManagerOfTheProject}</p>
          <PartnerChoice projects={projects} onChoose={setPartner} />
        </ConfirmDialog>
      )}
      {open === "remove" && (
        <ConfirmDialog
          title={messages.removeImage({ id })}
          mutation={mutation}
          confirm={messages.removeLabel}
          onConfirm={() => void remove()}
          close={close}
        >
          <p>{messages.newJobsCannotUseIt}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
