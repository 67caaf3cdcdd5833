// The user's and the site's environments, with an editor. The server checks the
// text while it is typed.
import type { Dispatch, StateUpdater } from "preact/hooks";
import { useState } from "preact/hooks";
import { clusterClient } from "../../api/core";
import { environmentClient } from "../../api/environment";
import { PageTitle } from "../../routes/page_title";
import type { Route } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { StatusMessage } from "../../ui/status_message";
import { type Choice, choiceOf, type Drafts, hrefOfChoice } from "./choice";
import { EnvironmentList } from "./environment_list";
import { OpenedEnvironment } from "./opened_environment";
import "../../styles/account.css";
import "../../styles/environments.css";
import { messages } from "./messages";

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
  const [message, setMessage] = useState("");
  const chosen = choiceOf(route.query);

  const onChanged = (text: string, next: Choice | undefined) => {
    setMessage(text);
    location.hash = next ? hrefOfChoice(next) : "#/environments";
    void loaded.reload();
  };

  return (
    <>
      <PageTitle text={messages.environments} />
      <StatusMessage text={message} />
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
        {messages.fileFormat.beforeCommand}
        <code>srun --environment</code>
        {messages.fileFormat.beforeSetting}
        <code>{'base_environment = "name"'}</code>
        {messages.fileFormat.end}
      </p>
    </section>
  );
}
