// That a link, and not the person, has filled in the form; and what of it could
// not be taken.
import { Icon } from "../../ui/icon";

export function LinkNote(props: {
  complaints: readonly string[];
  onSeen(): void;
}) {
  const { complaints, onSeen } = props;
  const bad = complaints.length > 0;
  return (
    <div
      class={bad ? "note note-bad" : "note note-calm"}
      role="status"
      data-test="link-note"
    >
      <Icon name={bad ? "alert" : "check"} />
      <div>
        <p>A link has filled in this form. Look at it before you start.</p>
        {complaints.map((complaint) => (
          <p key={complaint} data-test="link-complaint">
            {complaint}
          </p>
        ))}
        <button class="link-button" type="button" onClick={onSeen}>
          I have seen it
        </button>
      </div>
    </div>
  );
}
