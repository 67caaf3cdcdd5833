// What to tell of this one job outside of the page, beside what the user has
// chosen for all of them.
import { JobEvent } from "#proto/jobs";
import { notificationClient } from "../../../api/notification";
import { toggled } from "../../notifications/notification_labels";
import { useQuery } from "../../../session/use_query";
import type { ValidationError } from "../form/validation_errors";
import { ValidationErrorList } from "./field";
import { eventsOf, textOf } from "../form/notify_events";

const kEvents: readonly (readonly [JobEvent, string])[] = [
  [JobEvent.STARTED, "it starts"],
  [JobEvent.ENDS_SOON, "its time is nearly over"],
  [JobEvent.ENDED, "it ends well"],
  [JobEvent.FAILED, "it fails"],
  [JobEvent.IDLE, "nobody uses it"],
];

export function NotifyChoice(props: {
  value: string;
  validationErrors: readonly ValidationError[] | undefined;
  onValue(value: string): void;
}) {
  const { value, validationErrors, onValue } = props;
  const { value: channels } = useQuery(() =>
    notificationClient.getChannels({}),
  );
  if (!channels || channels.channels.length === 0) return null;
  const chosen = eventsOf(value);
  return (
    <fieldset
      id="field-notify"
      class="notify"
      data-testid="field-notify"
      tabIndex={-1}
    >
      <legend>Tell me outside of this page, too, when</legend>
      {kEvents.map(([event, text]) => (
        <label key={event} class="check">
          <input
            type="checkbox"
            data-testid={`notify-${event}`}
            checked={chosen.includes(event)}
            onChange={() => onValue(textOf(toggled(chosen, event)))}
          />
          <span>{text}</span>
        </label>
      ))}
      <ValidationErrorList place="notify" validationErrors={validationErrors} />
    </fieldset>
  );
}
