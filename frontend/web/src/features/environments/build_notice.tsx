// The state of an image of the user that a text names and that is not usable yet.
import { useEffect } from "preact/hooks";
import { ImageState } from "#proto/image";
import { imageClient } from "../../api/image";
import { hrefOf } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { messages } from "#messages/environments";

const kPollMs = 3000;

// `id` of the image; rendered for images of users only.
export function BuildNotice(props: { id: string }) {
  const { id } = props;
  const { value, reload } = useQuery(
    () =>
      imageClient.listImages({
        filter: { states: [ImageState.BUILDING, ImageState.FAILED] },
      }),
    id,
  );
  const image = value?.images.find((one) => one.id === id);
  const building = image?.state === ImageState.BUILDING;
  useEffect(() => {
    if (!building) return;
    const look = setInterval(() => void reload(), kPollMs);
    return () => clearInterval(look);
  }, [building, reload]);
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
