// The images that one may start a job in.
import { imageClient } from "../api/image_clients";
import { PageTitle } from "../route/page_title";
import { useLoaded } from "../session/use_loaded";
import { LoadedView } from "../ui/loaded_view";
import { Panel } from "../ui/panel";
import { ImageRow } from "./image_row";

export function ImagesPage() {
  const loaded = useLoaded(() => imageClient.listImages({}));
  return (
    <>
      <PageTitle text="Images" />
      <Panel
        title="For your jobs"
        about="What your jobs may run in. The digest is checked before each start."
        testName="images"
      >
        <LoadedView loaded={loaded}>
          {({ images }) => {
            const usable = images.filter((image) => image.usable);
            return usable.length === 0 ? (
              <p class="muted">There are none.</p>
            ) : (
              <ul class="rows">
                {usable.map((image) => (
                  <ImageRow key={image.id} image={image} />
                ))}
              </ul>
            );
          }}
        </LoadedView>
      </Panel>
    </>
  );
}
