// The list of environments.
import type { EnvironmentEntry } from "#proto/environment";
import { hrefOf } from "../../routes/route";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import {
  type Choice,
  choiceOfEntry,
  draftKey,
  type Drafts,
  hrefOfChoice,
  kNew,
  sameChoice,
} from "./choice";
import { messages } from "#messages/environments";

export function EnvironmentList(props: {
  environments: readonly EnvironmentEntry[];
  max: number;
  chosen: Choice | undefined;
  drafts: Drafts;
  hasTemplates: boolean;
}) {
  const { environments, max, chosen, drafts, hasTemplates } = props;
  const own = environments.filter(({ site }) => !site);
  const sites = environments.filter(({ site }) => site);
  const entries = (list: readonly EnvironmentEntry[]) =>
    list.map((entry) => {
      const choice = choiceOfEntry(entry);
      return (
        <li key={draftKey(choice)}>
          <a
            href={hrefOfChoice(choice)}
            aria-current={sameChoice(chosen, choice) ? "page" : undefined}
            data-testid={`environment-${entry.name}`}
            data-site={entry.site}
          >
            <span class="row-title">{entry.name}</span>
            <span class="muted small">
              {entry.site ? (
                messages.siteEnvironment
              ) : (
                <>
                  {messages.changed} <Moment at={entry.changedAt} />
                </>
              )}
              {drafts[draftKey(choice)] && messages.unsavedChanges}
            </span>
          </a>
        </li>
      );
    });
  return (
    <nav class="environment-list" aria-label={messages.environments}>
      {own.length < max ? (
        <a
          class="button"
          href={hrefOfChoice(kNew)}
          aria-current={chosen?.kind === "new" ? "page" : undefined}
          data-testid="environment-new"
        >
          <Icon name="plus" /> {messages.newEnvironment}
        </a>
      ) : (
        <p class="muted small">
          {messages.maximumReached({ count: own.length })}
        </p>
      )}
      {hasTemplates && (
        <a
          class="button"
          href={hrefOf("environments")}
          aria-current={chosen ? undefined : "page"}
          data-testid="environment-gallery"
        >
          {messages.fromATemplate}
        </a>
      )}
      <ul>{entries(own)}</ul>
      {sites.length > 0 && (
        <>
          <h2 class="muted small">{messages.siteEnvironments}</h2>
          <ul>{entries(sites)}</ul>
        </>
      )}
    </nav>
  );
}
