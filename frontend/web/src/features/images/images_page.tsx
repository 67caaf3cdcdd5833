// The user's own images and those that their jobs may use.
import { useState } from "preact/hooks";
import { type Image, ImageCopyState, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { useReloadOnImages } from "../../session/use_reload";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { ImageRow } from "./image_row";
import { ImportForm } from "./import_form";
import { OwnImageActions } from "./own_image_actions";
import { messages } from "#messages/images";

export function ImagesPage() {
  const loaded = useQuery(() => imageClient.listImages({}));
  const [importing, setImporting] = useState(false);
  const confirm = useConfirmation();
  const { value, reload } = loaded;
  const images = value?.images ?? [];
  const building = images.some(
    ({ own, fixed, state, copy }) =>
      ((own || fixed) && state === ImageState.BUILDING) ||
      copy?.state === ImageCopyState.STAGING ||
      copy?.state === ImageCopyState.STORING,
  );
  useReloadOnImages(loaded, building);

  const done = (what: string) => {
    setImporting(false);
    confirm(what);
    void reload();
  };
  const offered = images.filter(
    ({ own, usable, shares }) =>
      !own &&
      !usable &&
      shares.some(({ mayApprove, approvedBy }) => mayApprove && !approvedBy),
  );
  // Shared with the user, copy not ready yet.
  const comes = ({ copy, shares }: Image) =>
    copy !== undefined &&
    copy.state !== ImageCopyState.READY &&
    shares.some(({ approvedBy }) => approvedBy !== "");
  // Built by a program of the site, not complete yet.
  const isPending = ({ fixed, state }: Image) =>
    fixed && (state === ImageState.BUILDING || state === ImageState.FAILED);
  return (
    <>
      <PageTitle text={messages.images} />
      <Panel
        title={messages.yourImages}
        about={messages.builtByAJobThat}
        testId="own-images"
        actions={
          value &&
          !importing && (
            <button
              class="button button-small"
              type="button"
              data-testid="import-new"
              onClick={() => setImporting(true)}
            >
              <Icon name="plus" /> {messages.newImage}
            </button>
          )
        }
      >
        <QueryView loaded={loaded}>
          {() => (
            <>
              {importing && (
                <ImportForm onDone={done} close={() => setImporting(false)} />
              )}
              <Rows
                images={images.filter(({ own }) => own)}
                none={messages.youHaveNoImages}
                onDone={done}
              />
            </>
          )}
        </QueryView>
      </Panel>
      {offered.length > 0 && (
        <Panel
          title={messages.offeredToYourGroupsAnd}
          about={messages.theOwnersOfferTheseImages}
          testId="offered-images"
        >
          <Rows images={offered} none="" onDone={done} />
        </Panel>
      )}
      {value && (
        <Panel
          title={messages.siteImagesAndImagesShared}
          about={messages.yourJobsCanUseThese}
          testId="images"
        >
          <Rows
            images={images.filter(
              (image) =>
                !image.own &&
                (image.usable || comes(image) || isPending(image)),
            )}
            none={messages.noImages}
            onDone={done}
          />
        </Panel>
      )}
    </>
  );
}

function Rows(props: {
  images: readonly Image[];
  none: string;
  onDone(what: string): void;
}) {
  const { images, none, onDone } = props;
  if (images.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul class="rows">
      {images.map((image) => (
        <ImageRow
          key={image.id}
          image={image}
          onDone={onDone}
          actions={
            image.own && <OwnImageActions image={image} onDone={onDone} />
          }
        />
      ))}
    </ul>
  );
}
