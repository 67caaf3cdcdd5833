// All site images. Administrators change them; support sees them read-only.
import { useState } from "preact/hooks";
import type { Image } from "#proto/image";
import { imageClient } from "../../api/image";
import { projectClient } from "../../api/project";
import { ProjectsContext, projectsOf } from "../projects/projects_context";
import { PageTitle } from "../../routes/page_title";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { useReloadOnImages } from "../../session/use_reload";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { ImageForm } from "./image_form";
import { ImageRow } from "./image_row";
import { SiteImageActions } from "./site_image_actions";
import { messages } from "#messages/images";

export function SiteImagesPage() {
  const { session } = useSession();
  const loaded = useQuery(() => imageClient.listImages({}));
  useReloadOnImages(loaded, false);
  // All projects, not only those of the current user.
  const projects = useQuery(() => projectClient.listProjects({ all: true }));
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState("");
  const confirm = useConfirmation();
  const changes = mayChange(session);
  const close = () => {
    setAdding(false);
    setChanging("");
  };
  const done = (what: string) => {
    close();
    confirm(what);
    void loaded.reload();
  };
  const change = (image: Image) => {
    setAdding(false);
    setChanging(image.id);
  };
  return (
    <ProjectsContext.Provider value={projectsOf(projects)}>
      <PageTitle text={messages.images} />
      <Panel
        title={messages.siteImages}
        about={messages.theDigestIsCheckedBefore}
        testId="site-images"
        actions={
          changes &&
          loaded.value &&
          !adding && (
            <button
              class="button button-small"
              type="button"
              data-testid="image-new"
              onClick={() => {
                setChanging("");
                setAdding(true);
              }}
            >
              <Icon name="plus" /> {messages.addImage}
            </button>
          )
        }
      >
        <QueryView loaded={loaded}>
          {({ images }) => (
            <>
              {adding && (
                <ImageForm image={undefined} onDone={done} close={close} />
              )}
              {images.length === 0 && <p class="muted">{messages.noImages}</p>}
              <ul class="rows">
                {images.map((image) =>
                  image.id === changing ? (
                    <li key={image.id} class="row">
                      <div class="row-what">
                        <p class="row-title">{image.id}</p>
                        <ImageForm image={image} onDone={done} close={close} />
                      </div>
                    </li>
                  ) : (
                    <ImageRow
                      key={image.id}
                      image={image}
                      onDone={changes ? done : undefined}
                      actions={
                        changes && (
                          <SiteImageActions
                            image={image}
                            onChange={() => change(image)}
                            onDone={done}
                          />
                        )
                      }
                    />
                  ),
                )}
              </ul>
            </>
          )}
        </QueryView>
      </Panel>
    </ProjectsContext.Provider>
  );
}
