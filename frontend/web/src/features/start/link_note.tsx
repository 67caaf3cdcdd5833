// That a link, and not the person, has filled in the form; and what of it could
// not be taken.
import { Icon } from "../../ui/icon";

export function LinkNote(props: {
  validationErrors: readonly string[];
  onSeen(): void;
}) {
  const { validationErrors, onSeen } = props;
  const bad = validationErrors.length > 0;
  return (
    <div
      class={bad ? "note note-bad" : "note note-calm"}
      role="status"
      data-testid="link-note"
    >
      <Icon name={bad ? "alert" : "check"} />
      <div>
        <p>A link has filled in this form. Look at it before you start.</p>
        {validationErrors.map((validationError) => (
          <p key={validationError} data-testid="link-error">
            {validationError}
          </p>
        ))}
        <button class="link-button" type="button" onClick={onSeen}>
          I have seen it
        </button>
      </div>
    </div>
  );
}
