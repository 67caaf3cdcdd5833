// What a user sees, or would see if unsaved changes were saved.
import type { PreviewStartFormResponse } from "#proto/user_preview";
import { userHref } from "../../routes/route";
import { roleLabel } from "../../session/roles";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { ChangesPanel } from "./changes_panel";
import { isRefusedEverywhere, offerRows } from "./preview_labels";
import { PreviewLimits } from "./preview_limits";
import { PreviewPanel } from "./preview_panel";
import { TemplateChecks } from "./template_checks";
import { messages } from "#messages/user_preview";

export function PreviewContents({
  preview,
}: {
  preview: PreviewStartFormResponse;
}) {
  const { username, displayName, role, cluster, limits, checks, saved } =
    preview;
  return (
    <>
      <div
        class={`note preview-banner ${saved ? "preview-unsaved" : "note-calm"}`}
        role="status"
        data-testid="preview-banner"
      >
        <Icon name={saved ? "alert" : "people"} />
        <p>
          <strong>
            {saved
              ? messages.unsavedBanner({ username })
              : messages.banner({ username })}
          </strong>{" "}
          {saved ? messages.nothingIsSaved : messages.nothingCanBeStarted}
        </p>
      </div>
      <dl class="fact-grid">
        <div>
          <dt>{messages.user}</dt>
          <dd>
            <UserName username={username} isLink={!saved} />
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
      {saved && <ChangesPanel preview={preview} saved={saved} />}
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

// A link in a dialog would leave the page, and the unsaved values with it.
function UserName(props: { username: string; isLink: boolean }) {
  const { username, isLink } = props;
  return isLink ? <a href={userHref(username)}>{username}</a> : <>{username}</>;
}
