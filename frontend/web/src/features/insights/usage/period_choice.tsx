// The choice of a period, within a row of filters.
import { useId } from "preact/hooks";
import { kSpans } from "./usage_form";
import "../../../styles/history.css";
import { messages } from "#messages/insights";

export function PeriodChoice(props: {
  span: string; // a key of kSpans
  testId: string; // of its buttons, which have "-SPAN" after it
  onChange(span: string): void;
}) {
  const id = useId();
  return (
    <div class="stacked">
      <span id={id}>{messages.period}</span>
      <div class="segments" role="group" aria-labelledby={id}>
        {Object.entries(kSpans).map(([span, { label }]) => (
          <button
            key={span}
            type="button"
            data-testid={`${props.testId}-${span}`}
            aria-pressed={props.span === span}
            onClick={() => props.onChange(span)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}
