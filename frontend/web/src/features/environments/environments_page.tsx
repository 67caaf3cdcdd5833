// The user's and the site's environments, with an editor. The server checks the
// text while it is typed.
import type { Dispatch, StateUpdater } from "preact/hooks";
import { clusterClient } from "../../api/core";
import { environmentClient } from "../../api/environment";
import { PageTitle } from "../../routes/page_title";
import type { Route } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { type Choice, choiceOf, type Drafts, hrefOfChoice } from "./choice";
import { EnvironmentList } from "./environment_list";
import { OpenedEnvironment } from "./opened_environment";
import "../../styles/account.css";
import "../../styles/environments.css";
import { filledMessage } from "../../lib/language/filled_message";
import { messages } from "#messages/environments";

async function load() {
  const [list, cluster] = await Promise.all([
    environmentClient.listEnvironments({}),
    clusterClient.getCluster({}),
  ]);
  return { ...list, images: cluster.images };
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

  return (
    <>
      <PageTitle text={messages.environments} />
      <QueryView loaded={loaded}>
        {({ offered, environments, maxEnvironments: max, images }) =>
          offered ? (
            <div class="environments">
              <EnvironmentList
                environments={environments}
                max={max}
                chosen={chosen}
                drafts={drafts}
              />
              {chosen ? (
                <OpenedEnvironment
                  key={hrefOfChoice(chosen)}
                  {...{ chosen, images, drafts, setDrafts, onChanged }}
                />
              ) : (
                <Introduction />
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
