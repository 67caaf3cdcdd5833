// The plots of all jobs over the time since the start of each.
import { useMemo, useState } from "preact/hooks";
import { msOf } from "../../lib/format/moment";
import { PlotCursor } from "../metrics/plot/plot_cursor";
import { useThemeVersion } from "../metrics/plot/plot_theme";
import { kTimesSinceStart } from "../metrics/plot/time_axis";
import { TimePlot } from "../metrics/plot/time_plot";
import { RangeControls } from "../metrics/range_controls";
import {
  type Bounds,
  boundsOf,
  kWhole,
  type TimeRange,
} from "../metrics/series/time_range";
import type { ComparedJob } from "./compared_job";
import { overlay } from "./overlaid_plots";
import { messages } from "#messages/comparison";

export function ComparisonPlots({ jobs }: { jobs: readonly ComparedJob[] }) {
  const [range, setRange] = useState<TimeRange>(kWhole);
  const [asTable, setAsTable] = useState(false);
  const [cursor] = useState(() => new PlotCursor());
  const theme = useThemeVersion();
  const shown = useMemo(() => overlay(jobs.map(overlaidJob)), [jobs]);
  const gaps = jobs.filter(({ grid }) => !grid);
  const zoom = (next: Bounds | undefined) =>
    setRange(next ? { kind: "selected", ...next } : kWhole);

  return (
    <section class="metrics" aria-label={messages.plots}>
      <h2>{messages.plots}</h2>
      {gaps.length > 0 && (
        <ul class="muted small" data-testid="comparison-plot-gaps">
          {gaps.map(({ letter, noGrid }) => (
            <li key={letter}>
              {messages.noValuesOf({ letter, reason: noGrid })}
            </li>
          ))}
        </ul>
      )}
      {!shown || shown.plots.length === 0 ? (
        <p class="muted" data-testid="comparison-no-plots">
          {messages.noPlots}
        </p>
      ) : (
        <>
          <RangeControls
            range={range}
            onRange={setRange}
            asTable={asTable}
            onTable={setAsTable}
            link={undefined}
          />
          <div class="plots">
            {shown.plots.map((plot) => (
              <TimePlot
                key={plot.id}
                plot={plot}
                grid={shown.grid}
                axis={kTimesSinceStart}
                bounds={boundsOf(range, shown.grid)}
                marks={[]}
                cursor={cursor}
                theme={theme}
                asTable={asTable}
                onZoom={zoom}
              />
            ))}
          </div>
          {shown.omitted > 0 && (
            <p class="muted small">
              {messages.plotsNotShown({ count: shown.omitted })}
            </p>
          )}
        </>
      )}
    </section>
  );
}

function overlaidJob({ letter, job, grid }: ComparedJob) {
  return {
    id: job.id,
    label: messages.letteredJob({ letter, name: job.spec?.name || job.id }),
    startMs: msOf(job.startedAt) ?? 0,
    grid,
  };
}
