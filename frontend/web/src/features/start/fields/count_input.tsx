// A whole number with buttons to decrease and increase it.
import { Icon } from "../../../ui/icon";
import type { InputProps } from "./field";
import { messages } from "#messages/start";

export function CountInput(props: {
  input: InputProps;
  label: string;
  least: number;
  max?: number | undefined;
  value: string;
  placeholder?: string;
  onValue(value: string): void;
}) {
  const { input, label, least, max = Infinity, value, onValue } = props;
  const step = (by: number) => {
    const from = Number(value || props.placeholder) || 0;
    onValue(String(Math.max(least, Math.min(max, from + by))));
  };
  return (
    <div class="count-input">
      <button
        type="button"
        aria-label={messages.fewer({ label })}
        disabled={value !== "" && Number(value) <= least}
        onClick={() => step(-1)}
      >
        <Icon name="minus" />
      </button>
      <input
        {...input}
        inputMode="numeric"
        autocomplete="off"
        maxLength={9}
        value={value}
        placeholder={props.placeholder}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <button
        type="button"
        aria-label={messages.more({ label })}
        disabled={value !== "" && Number(value) >= max}
        onClick={() => step(1)}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}
