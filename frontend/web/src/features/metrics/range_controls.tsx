// The visible time, and whether plots are shown as tables.
import type { ConnectionState } from "../../api/stream_watcher";
import { kWhole, type TimeRange } from "./series/time_range";
import { messages } from "#messages/metrics";

const kLast: readonly (readonly [number, string])[] = [
  [600, messages.lastTenMinutes],
  [3600, messages.lastHour],
];

export function RangeControls(props: {
  range: TimeRange;
  onRange(range: TimeRange): void;
  asTable: boolean;
  onTable(asTable: boolean): void;
  link: ConnectionState | undefined; // undefined: the job has ended
}) {
  const { range, onRange, asTable, onTable, link } = props;
  const choice = range.kind === "last" ? String(range.seconds) : range.kind;
  const choose = (value: string) =>
    onRange(
      value === "whole" ? kWhole : { kind: "last", seconds: Number(value) },
    );
  return (
    <div class="metrics-range">
      <label>
        <span class="sr-only">{messages.range}</span>
        <select
          data-testid="metrics-range"
          value={choice}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="whole">{messages.wholeJob}</option>
          {kLast.map(([seconds, label]) => (
            <option key={seconds} value={String(seconds)}>
              {label}
            </option>
          ))}
          {range.kind === "selected" && (
            <option value="selected">{messages.rangeSelected}</option>
          )}
        </select>
      </label>
      {range.kind === "selected" && (
        <button
          class="button button-small"
          type="button"
          data-testid="reset-zoom"
          onClick={() => onRange(kWhole)}
        >
          {messages.resetZoom}
        </button>
      )}
      <label class="check">
        <input
          type="checkbox"
          data-testid="show-tables"
          checked={asTable}
          onChange={(event) => onTable(event.currentTarget.checked)}
        />
        {messages.showTables}
      </label>
      {link && (
        <span class="state" data-tone={link === "live" ? "good" : "wait"}>
          {link === "live" ? messages.live : messages.reconnecting}
        </span>
      )}
      <span class="muted small zoom-help">{messages.zoomHelp}</span>
    </div>
  );
}
