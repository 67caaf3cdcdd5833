// What changes for a user if the unsaved values are saved.
import type {
  PreviewStartFormResponse,
  SavedStartForm,
} from "#proto/user_preview";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { markClass, markLabel } from "./mark_label";
import { type Change, changesOf } from "./preview_changes";
import { draftProblem } from "./preview_labels";
import { messages } from "#messages/user_preview";

export function ChangesPanel(props: {
  preview: PreviewStartFormResponse;
  saved: SavedStartForm;
}) {
  const { preview, saved } = props;
  const changes = changesOf(preview, saved);
  const problem = draftProblem(preview);
  return (
    <Panel
      title={messages.whatWouldChange}
      about={messages.comparedWithNow({ username: preview.username })}
      testId="preview-changes"
    >
      {changes.length === 0 && (
        <p class="note note-calm" data-testid="preview-unchanged">
          <Icon name="check" />
          <span>{messages.nothingChanges({ username: preview.username })}</span>
        </p>
      )}
      {problem && (
        <p class="note note-calm" data-testid="preview-draft-hidden">
          <Icon name="alert" />
          <span>{messages.templateNotOffered({ reason: problem })}</span>
        </p>
      )}
      {changes.length > 0 && (
        <ul class="preview-checks">
          {changes.map((change) => (
            <ChangeRow
              key={`${change.mark} ${change.place} ${change.subject}`}
              change={change}
            />
          ))}
        </ul>
      )}
      {(preview.checksTruncated || saved.checksTruncated) && (
        <p class="muted small">{messages.moreChecks}</p>
      )}
    </Panel>
  );
}

function ChangeRow({ change }: { change: Change }) {
  const { mark, place, subject, before, after } = change;
  return (
    <li data-testid="preview-change" data-mark={mark}>
      <span class="preview-place">
        <strong>{subject}</strong> <span class="muted">{place}</span>
      </span>
      <span class="preview-decision">
        <span class={markClass(mark)}>{markLabel(mark)}</span>
        <Sentences label={messages.now} sentences={before} />
        <Sentences
          label={before.length > 0 ? messages.afterSaving : ""}
          sentences={after}
        />
      </span>
    </li>
  );
}

function Sentences(props: { label: string; sentences: readonly string[] }) {
  const { label, sentences } = props;
  if (sentences.length === 0) return null;
  const lines = sentences.map((sentence) => (
    <span key={sentence} class="small sentence">
      {sentence}
    </span>
  ));
  if (!label) return <>{lines}</>;
  return (
    <span class="preview-sentences">
      <span class="muted small">{label}</span>
      <span>{lines}</span>
    </span>
  );
}
