// What a user would see in the start form, for administrators. Each preview is
// recorded in the audit log, so it is made on request only.
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import type { PreviewStartFormResponse } from "#proto/user_preview";
import { userPreviewClient } from "../../api/admin";
import { PageTitle } from "../../routes/page_title";
import { userHref, userPreviewHref } from "../../routes/route";
import { roleLabel } from "../../session/roles";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { formOfQuery } from "../../ui/query_form";
import { ChoiceField } from "../choices/choice_field";
import { isRefusedEverywhere, offerRows } from "./preview_labels";
import { PreviewLimits } from "./preview_limits";
import { PreviewPanel } from "./preview_panel";
import { TemplateChecks } from "./template_checks";
import { messages } from "#messages/user_preview";

const kFields = ["user"] as const;

// The user is part of the address, so other pages can link to the preview.
export function UserPreviewPage({ query }: { query: string }) {
  const { user } = formOfQuery(kFields, query);
  return (
    <>
      <PageTitle text={messages.previewAsAUser} />
      <p class="muted">{messages.showsWhatAUserWouldSee}</p>
      <UserForm key={user} user={user} />
      {user !== "" && <Preview key={user} username={user} />}
    </>
  );
}

function UserForm({ user }: { user: string }) {
  const [name, setName] = useState(user);
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim() !== "") location.hash = userPreviewHref(name.trim());
  };
  return (
    <form
      class="filter preview-user"
      aria-label={messages.user}
      onSubmit={submit}
    >
      <ChoiceField
        kind={ChoiceKind.USER}
        label={messages.user}
        testId="preview-user"
        value={name}
        onValue={setName}
      />
      <button
        class="button button-primary"
        type="submit"
        data-testid="preview-show"
        aria-disabled={name.trim() === ""}
      >
        {messages.preview}
      </button>
    </form>
  );
}

function Preview({ username }: { username: string }) {
  const loaded = useQuery(() =>
    userPreviewClient.previewStartForm({ username }),
  );
  return (
    <QueryView loaded={loaded}>
      {(preview) => <Contents preview={preview} />}
    </QueryView>
  );
}

function Contents({ preview }: { preview: PreviewStartFormResponse }) {
  const { username, displayName, role, cluster, limits, checks } = preview;
  return (
    <>
      <div
        class="note note-calm preview-banner"
        role="status"
        data-testid="preview-banner"
      >
        <Icon name="people" />
        <p>
          <strong>{messages.banner({ username })}</strong>{" "}
          {messages.nothingCanBeStarted}
        </p>
      </div>
      <dl class="fact-grid">
        <div>
          <dt>{messages.user}</dt>
          <dd>
            <a href={userHref(username)}>{username}</a>
            {displayName && displayName !== username && ` (${displayName})`}
          </dd>
        </div>
        <div>
          <dt>{messages.role}</dt>
          <dd>{roleLabel(role)}</dd>
        </div>
      </dl>
      {isRefusedEverywhere(checks) && (
        <p class="note note-bad" data-testid="preview-refused-everywhere">
          <Icon name="alert" />
          <span>{messages.noJobCouldStart}</span>
        </p>
      )}
      {cluster && <PreviewPanel preview={preview} cluster={cluster} />}
      <TemplateChecks preview={preview} />
      <Panel
        title={messages.whatIsOffered}
        about={messages.privateThingsAreNotShown}
        testId="preview-offer"
      >
        <dl class="preview-offer">
          {offerRows(preview).map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {limits && <PreviewLimits found={limits} />}
    </>
  );
}
