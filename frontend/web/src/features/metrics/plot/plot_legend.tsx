// The lines of a plot with their values at the cursor, or the newest ones.
import { useEffect, useState } from "preact/hooks";
import type { TimeGrid } from "../series/metric_grid";
import type { PlotCursor } from "./plot_cursor";
import { kColors } from "./plot_theme";
import type { Plot } from "../series/plots";
import type { Points } from "../series/time_range";
import { formatValue } from "../series/units";
import type { TimeAxis } from "./time_axis";
import { messages } from "#messages/metrics";

export function PlotLegend(props: {
  plot: Plot;
  grid: TimeGrid;
  axis: TimeAxis;
  points: Points;
  cursor: PlotCursor;
  hidden: ReadonlySet<string>;
  onToggle?(key: string): void; // absent: lines cannot be hidden
}) {
  const { plot, grid, axis, points, cursor } = props;
  const { hidden, onToggle } = props;
  const { point, isKeyboard } = useCursorPoint(cursor);
  // Jobs of different length are read where all of them have a value.
  const newest =
    (axis.isClock ? undefined : newestPoint(plot, points, true)) ??
    newestPoint(plot, points);
  const shown = point ?? newest;
  if (shown === undefined) return null;
  const ms = grid.timeMs(shown);
  const clock = axis.format(ms, true);
  return (
    <div
      class="plot-legend"
      data-testid="plot-legend"
      data-at-ms={ms}
      aria-live={isKeyboard ? "polite" : "off"}
    >
      <p class="muted small">
        <time dateTime={axis.machine(ms)} title={axis.exactly(ms)}>
          {point === undefined && axis.isClock
            ? messages.latest({ time: clock })
            : clock}
        </time>
      </p>
      <ul>
        {plot.lines.map(({ key, label, values, isLimit }, at) => (
          <li key={key}>
            <button
              type="button"
              class="plot-line"
              aria-pressed={!hidden.has(key)}
              disabled={!onToggle}
              onClick={() => onToggle?.(key)}
            >
              <span
                class={`plot-swatch ${isLimit ? "plot-color-limit" : `plot-color-${at % kColors}`}`}
                data-limit={isLimit}
              />
              {label}
            </button>{" "}
            <strong data-testid="plot-value" data-line={label}>
              {formatValue(plot.unit, values[shown] ?? Number.NaN)}
            </strong>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function useCursorPoint(cursor: PlotCursor) {
  const [state, setState] = useState({
    point: cursor.point,
    isKeyboard: false,
  });
  useEffect(
    () => cursor.listen((point, isKeyboard) => setState({ point, isKeyboard })),
    [cursor],
  );
  return state;
}

// The last visible point where a line that is no limit has a value, or where all
// of them have one.
export function newestPoint(
  { lines }: Plot,
  { first, end }: Points,
  ofAll = false,
): number | undefined {
  const own = lines.filter(({ isLimit }) => !isLimit);
  for (let point = end - 1; point >= first; point--) {
    const known = own.filter(
      ({ values }) => !Number.isNaN(values[point] ?? Number.NaN),
    );
    if (known.length > 0 && (!ofAll || known.length === own.length)) {
      return point;
    }
  }
  return undefined;
}
