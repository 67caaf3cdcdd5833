// The score of each GPU with its components and ratings, over the visible time.
import { percentLabel, wattsLabel } from "./series/gpu_ratings";
import type { MetricGrid } from "./series/metric_grid";
import { kPipes } from "./series/plot_catalog";
import { nodesOf } from "./series/plots";
import { gpuKey, scoreRows } from "./series/saturation_series";
import type { Points } from "./series/time_range";
import { formatValue } from "./series/units";
import { messages } from "#messages/metrics";

export function SaturationTable(props: { grid: MetricGrid; points: Points }) {
  const { grid, points } = props;
  const rows = scoreRows(grid, points.first, points.end);
  if (rows.length === 0) {
    return (
      <p class="muted small" data-testid="no-score">
        {messages.noScore}
      </p>
    );
  }
  const manyNodes = nodesOf(grid).length > 1;
  const percent = (value: number) => formatValue("ratio", value);
  return (
    <div class="table-box saturation-table" tabIndex={0}>
      <table class="table" data-testid="saturation-table">
        <caption>{messages.saturationTable}</caption>
        <thead>
          <tr>
            <th scope="col">{messages.gpuUse}</th>
            <th scope="col" class="number">
              {messages.mean}
            </th>
            <th scope="col" class="number">
              {messages.median}
            </th>
            <th scope="col" class="number">
              {messages.minimum}
            </th>
            <th scope="col" class="number">
              {messages.maximum}
            </th>
            <th scope="col" class="number">
              {messages.smActive}
            </th>
            <th scope="col" class="number">
              {messages.smOccupancy}
            </th>
            <th scope="col" class="number">
              {messages.flopActive}
            </th>
            {kPipes.map(([name, what]) => (
              <th key={name} scope="col" class="number">
                {what}
              </th>
            ))}
            <th scope="col" class="number">
              {messages.gpuUtilization}
            </th>
            <th scope="col" class="number">
              {messages.gpuPower}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={gpuKey(row.series)}>
              <th scope="row">
                {[
                  messages.gpu({ id: row.series.labels["gpu"] ?? "" }),
                  manyNodes && row.series.node,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </th>
              {[
                row.score.mean,
                row.score.median,
                row.score.min,
                row.score.max,
              ].map((value, at) => (
                <td key={at} class="number">
                  {formatValue("score", value)}
                </td>
              ))}
              <td class="number">{percent(row.smActive.mean)}</td>
              <td class="number">{percent(row.smOccupancy.mean)}</td>
              <td class="number">{percent(row.flopActive)}</td>
              {row.pipes.map(({ mean }, at) => (
                <td key={at} class="number">
                  {percent(mean)}
                </td>
              ))}
              <td class="number">
                {row.utilization
                  ? percentLabel(row.utilization)
                  : messages.noPart}
              </td>
              <td class="number">
                {row.power ? wattsLabel(row.power) : messages.noPart}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
