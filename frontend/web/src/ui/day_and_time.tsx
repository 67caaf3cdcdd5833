// A point in time: a day and a time of day, in the browser's time zone. The values
// are those of the inputs (lib/format/date_inputs.ts).
import { messages } from "#messages/ui";

export function DayAndTime(props: {
  label: string;
  hint?: string;
  testId: string;
  day: string;
  time: string;
  onDay(day: string): void;
  onTime(time: string): void;
}) {
  return (
    <div>
      <div class="button-row">
        <label class="stacked">
          <span>{props.label}</span>
          <input
            type="date"
            data-testid={`${props.testId}-day`}
            value={props.day}
            onInput={(event) => props.onDay(event.currentTarget.value)}
          />
        </label>
        <label class="stacked">
          <span>{messages.time}</span>
          <input
            type="time"
            data-testid={`${props.testId}-time`}
            value={props.time}
            onInput={(event) => props.onTime(event.currentTarget.value)}
          />
        </label>
      </div>
      {props.hint && <p class="hint">{props.hint}</p>}
    </div>
  );
}
