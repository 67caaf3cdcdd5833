// Shows that a link has filled in the form, and the values it could not set.
import { Icon } from "../../ui/icon";
import { messages } from "#messages/start";

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
        <p>{messages.aLinkHasFilledIn}</p>
        {validationErrors.map((validationError) => (
          <p key={validationError} data-testid="link-error">
            {validationError}
          </p>
        ))}
        <button class="link-button" type="button" onClick={onSeen}>
          {messages.dismiss}
        </button>
      </div>
    </div>
  );
}
