// A point in time: a day and a time of day, in the browser's time zone. The values
// are those of the inputs (lib/format/date_inputs.ts).
import { useId } from "preact/hooks";
import { DateField } from "./field";
import { messages } from "#messages/ui";

export function DayAndTime(props: {
  label: string;
  hint?: string;
  errorId?: string | undefined;
  testId: string;
  day: string;
  time: string;
  onDay(day: string): void;
  onTime(time: string): void;
}) {
  const { label, hint, errorId, testId } = props;
  const hintId = useId();
  const described = { describedBy: hint && hintId, errorId };
  return (
    <div>
      <div class="button-row">
        <DateField
          {...described}
          label={label}
          testId={`${testId}-day`}
          value={props.day}
          onValue={props.onDay}
        />
        <DateField
          {...described}
          label={messages.time}
          type="time"
          testId={`${testId}-time`}
          value={props.time}
          onValue={props.onTime}
        />
      </div>
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}
