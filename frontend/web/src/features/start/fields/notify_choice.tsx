// Events of this job to send by email or webhook, in addition to the user's
// settings.
import { JobEvent } from "#proto/jobs";
import { notificationClient } from "../../../api/notification";
import { toggled } from "../../notifications/notification_labels";
import { useQuery } from "../../../session/use_query";
import type { ValidationError } from "../form/validation_errors";
import { ValidationErrorList } from "./field";
import { eventsOf, textOf } from "../form/notify_events";
import { messages } from "#messages/start";

const kEvents: readonly (readonly [JobEvent, string])[] = [
  [JobEvent.STARTED, messages.starts],
  [JobEvent.ENDS_SOON, messages.isAboutToReachIts],
  [JobEvent.ENDED, messages.completes],
  [JobEvent.FAILED, messages.fails],
  [JobEvent.IDLE, messages.isIdle],
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
      <legend>{messages.notifyMeWhenTheJob}</legend>
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
