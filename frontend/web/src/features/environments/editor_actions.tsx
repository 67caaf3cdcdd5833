// Actions on the open environment.
import { useId } from "preact/hooks";
import { Icon } from "../../ui/icon";
import { type Choice, hrefToStart } from "./choice";
import { messages } from "#messages/environments";

export function EditorActions(props: {
  chosen: Choice;
  changed: boolean; // compared with the saved text
  isRefused: boolean; // the form has an edit that cannot be written
  needsImage: boolean; // with further packages, which is built first
  busy: boolean;
  canSave: boolean;
  onSave(): void;
  onRevert(): void;
  onDelete(): void;
  onInherit(): void;
}) {
  const { chosen, changed, isRefused, needsImage, busy, canSave } = props;
  const blocked = busy || !changed || !canSave || isRefused;
  const id = useId();
  return (
    <div class="button-row environment-actions">
      {chosen.kind !== "site" && (
        <button
          class="button button-primary"
          type="button"
          data-testid="environment-save"
          aria-disabled={blocked}
          aria-describedby={isRefused ? id : undefined}
          onClick={() => blocked || props.onSave()}
        >
          {busy
            ? messages.saving
            : needsImage
              ? messages.buildImageAndSave
              : messages.save}
        </button>
      )}
      {isRefused && (
        <p
          class="field-error"
          role="status"
          id={id}
          data-testid="environment-save-refused"
        >
          {messages.formNotWritable}
        </p>
      )}
      {chosen.kind === "own" && changed && (
        <button
          class="button"
          type="button"
          data-testid="environment-revert"
          onClick={props.onRevert}
        >
          {messages.discardChanges}
        </button>
      )}
      {chosen.kind !== "new" && !changed && (
        <a
          class="button"
          href={hrefToStart(chosen.name)}
          data-testid="environment-start"
        >
          <Icon name="play" /> {messages.startJob}
        </a>
      )}
      {chosen.kind !== "new" && (
        <button
          class="button"
          type="button"
          data-testid="environment-inherit"
          onClick={props.onInherit}
        >
          {messages.extend}
        </button>
      )}
      {chosen.kind === "own" && (
        <button
          class="button environment-delete"
          type="button"
          data-testid="environment-delete"
          onClick={props.onDelete}
        >
          {messages.deleteLabel}
        </button>
      )}
    </div>
  );
}
