// The user's and the site's environments, with an editor. The server checks the
// text while it is typed.
import type { Dispatch, StateUpdater } from "preact/hooks";
import type { EnvironmentEntry } from "#proto/environment";
import type { EnvironmentTemplate } from "#proto/environment_gallery";
import { clusterClient } from "../../api/core";
import { environmentClient } from "../../api/environment";
import { environmentGalleryClient } from "../../api/environment_editor";
import { PageTitle } from "../../routes/page_title";
import type { Route } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import {
  type Choice,
  choiceOf,
  type Drafts,
  hrefOfChoice,
  kNew,
  withDraft,
} from "./choice";
import { EnvironmentList } from "./environment_list";
import { OpenedEnvironment } from "./opened_environment";
import { packagesOf } from "./packages";
import { freeName, templateText } from "./template";
import { TemplateGallery } from "./template_gallery";
import "../../styles/account.css";
import "../../styles/environments.css";
import { filledMessage } from "../../lib/language/filled_message";
import { messages } from "#messages/environments";

async function load() {
  const [list, cluster, gallery] = await Promise.all([
    environmentClient.listEnvironments({}),
    clusterClient.getCluster({}),
    environmentGalleryClient.listEnvironmentTemplates({}),
  ]);
  return { ...list, images: cluster.images, gallery };
}

export function EnvironmentsPage(props: {
  route: Route;
  drafts: Drafts; // kept when this page closes
  setDrafts: Dispatch<StateUpdater<Drafts>>;
}) {
  const { route, drafts, setDrafts } = props;
  const loaded = useQuery(load);
  const confirm = useConfirmation();
  const chosen = choiceOf(route.query);

  const onChanged = (text: string, next: Choice | undefined) => {
    confirm(text);
    location.hash = next ? hrefOfChoice(next) : "#/environments";
    void loaded.reload();
  };

  const use = (
    template: EnvironmentTemplate,
    environments: readonly EnvironmentEntry[],
  ) => {
    const name = freeName(template.id, environments);
    const draft = {
      text: templateText(template),
      name,
      packages: packagesOf(template),
    };
    setDrafts((old) => withDraft(old, kNew, draft));
    location.hash = hrefOfChoice(kNew);
  };

  return (
    <>
      <PageTitle text={messages.environments} />
      <QueryView loaded={loaded}>
        {({ offered, environments, maxEnvironments: max, images, gallery }) =>
          offered ? (
            <div class="environments">
              <EnvironmentList
                environments={environments}
                max={max}
                chosen={chosen}
                drafts={drafts}
                hasTemplates={gallery.templates.length > 0}
              />
              {chosen ? (
                <OpenedEnvironment
                  key={hrefOfChoice(chosen)}
                  {...{ chosen, images, gallery, drafts, setDrafts, onChanged }}
                />
              ) : (
                <div class="environment-start">
                  <Introduction />
                  <TemplateGallery
                    templates={gallery.templates}
                    onUse={(template) => use(template, environments)}
                  />
                </div>
              )}
            </div>
          ) : (
            <p class="muted" data-testid="environments-off">
              {messages.environmentsAreNotAvailableOn}
            </p>
          )
        }
      </QueryView>
    </>
  );
}

function Introduction() {
  return (
    <section class="panel">
      <p>{messages.anEnvironmentDefinesTheImage}</p>
      <p class="muted">
        {filledMessage(messages.fileFormat, {
          command: <code>srun --environment</code>,
          setting: <code>{'base_environment = "name"'}</code>,
        })}
      </p>
    </section>
  );
}
