// The values of a plot as a table.
import type { TimeGrid } from "../series/metric_grid";
import type { Plot } from "../series/plots";
import type { TimeAxis } from "./time_axis";
import type { Points } from "../series/time_range";
import { formatValue } from "../series/units";
import { messages } from "#messages/metrics";

const kMaxRows = 120;

export function PlotTable(props: {
  plot: Plot;
  grid: TimeGrid;
  axis: TimeAxis;
  points: Points;
}) {
  const { plot, grid, axis, points } = props;
  const every = Math.max(1, Math.ceil((points.end - points.first) / kMaxRows));
  const shown: number[] = [];
  for (let at = points.end - 1; at >= points.first; at -= every) shown.push(at);
  return (
    <div class="table-box plot-table" tabIndex={0}>
      <table class="table" data-testid="plot-table">
        <caption class="sr-only">
          {messages.tableOf({ title: plot.title })}
        </caption>
        <thead>
          <tr>
            <th scope="col">{messages.time}</th>
            {plot.lines.map(({ key, label }) => (
              <th key={key} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((point) => (
            <tr key={point} data-at-ms={grid.timeMs(point)}>
              <th scope="row">
                <time title={axis.exactly(grid.timeMs(point))}>
                  {axis.format(grid.timeMs(point), true)}
                </time>
              </th>
              {plot.lines.map(({ key, values }) => (
                <td key={key} class="number">
                  {formatValue(plot.unit, values[point] ?? Number.NaN)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {every > 1 && (
        <p class="muted small">{messages.tableEveryNth({ count: every })}</p>
      )}
    </div>
  );
}
