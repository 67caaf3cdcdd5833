// A walltime as text, with buttons for common values.
import { formatMinutes, parseMinutes } from "../../../lib/format/duration";
import type { InputProps } from "./field";
import { walltimePresets } from "../form/walltime_presets";
import { messages } from "#messages/start";

export function WalltimeInput(props: {
  input: InputProps;
  limitMinutes: number; // 0: none
  value: string;
  onValue(value: string): void;
}) {
  const { input, value, onValue } = props;
  const minutes = parseMinutes(value);
  return (
    <div class="walltime">
      <div class="segments" role="group" aria-label={messages.commonWalltimes}>
        {walltimePresets(props.limitMinutes).map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={preset === minutes}
            onClick={() => onValue(formatMinutes(preset))}
          >
            {formatMinutes(preset)}
          </button>
        ))}
      </div>
      <input
        {...input}
        autocomplete="off"
        maxLength={20}
        value={value}
        placeholder={messages.exampleWalltime}
        onInput={(event) => onValue(event.currentTarget.value)}
        onBlur={() => minutes && onValue(formatMinutes(minutes))}
      />
    </div>
  );
}
