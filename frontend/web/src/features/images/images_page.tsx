// The user's own images and those that their jobs may use.
import { useEffect, useState } from "preact/hooks";
import { type Image, ImageCopyState, ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { StatusMessage } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { ImageRow } from "./image_row";
import { ImportForm } from "./import_form";
import { OwnImageActions } from "./own_image_actions";

const kLookMs = 3000;

export function ImagesPage() {
  const loaded = useQuery(() => imageClient.listImages({}));
  const [importing, setImporting] = useState(false);
  const [message, setMessage] = useState("");
  const { value, reload } = loaded;
  const images = value?.images ?? [];
  const building = images.some(
    ({ own, state, copy }) =>
      (own && state === ImageState.BUILDING) ||
      copy?.state === ImageCopyState.STAGING ||
      copy?.state === ImageCopyState.STORING,
  );
  useEffect(() => {
    if (!building) return;
    const look = setInterval(() => void reload(), kLookMs);
    return () => clearInterval(look);
  }, [building, reload]);

  const done = (what: string) => {
    setImporting(false);
    setMessage(what);
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
  return (
    <>
      <PageTitle text="Images" />
      <Panel
        title="Your images"
        about="Built by a job that runs as you. Private until you share them."
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
              <Icon name="plus" /> New image
            </button>
          )
        }
      >
        <StatusMessage text={message} />
        <QueryView loaded={loaded}>
          {() => (
            <>
              {importing && (
                <ImportForm onDone={done} close={() => setImporting(false)} />
              )}
              <Rows
                images={images.filter(({ own }) => own)}
                none="You have no images."
                onDone={done}
              />
            </>
          )}
        </QueryView>
      </Panel>
      {offered.length > 0 && (
        <Panel
          title="Offered to your groups and projects"
          about="The owners offer these images. Approve or reject them."
          testId="offered-images"
        >
          <Rows images={offered} none="" onDone={done} />
        </Panel>
      )}
      {value && (
        <Panel
          title="Site images and images shared with you"
          about="Your jobs can use these images. The digest is checked before each start."
          testId="images"
        >
          <Rows
            images={images.filter(
              (image) => !image.own && (image.usable || comes(image)),
            )}
            none="No images."
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
