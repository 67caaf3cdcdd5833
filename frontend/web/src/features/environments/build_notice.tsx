// The state of an image of the user that a text names and that is not usable yet.
import { ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { hrefOf } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { useReloadOnImages } from "../../session/use_reload";
import { messages } from "#messages/environments";

// `id` of the image; rendered for images of users only.
export function BuildNotice(props: { id: string }) {
  const { id } = props;
  const loaded = useQuery(
    () =>
      imageClient.listImages({
        filter: { states: [ImageState.BUILDING, ImageState.FAILED] },
      }),
    id,
  );
  const image = loaded.value?.images.find((one) => one.id === id);
  const building = image?.state === ImageState.BUILDING;
  useReloadOnImages(loaded, building);
  if (!image) return null;
  return (
    <p
      class="muted"
      aria-live="polite"
      data-testid="environment-build"
      data-building={building}
    >
      {building
        ? messages.imageIsBeingBuilt({ image: id })
        : messages.imageNotBuilt({ image: id, problem: image.problem })}{" "}
      <a href={hrefOf("images")}>{messages.showImages}</a>
    </p>
  );
}
