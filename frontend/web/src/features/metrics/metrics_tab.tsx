// The plots of a job's metrics. Loaded when it is first shown: it brings uPlot.
import { useEffect, useMemo, useState } from "preact/hooks";
import { formatExactly } from "../../lib/format/moment";
import { metricsClientOf } from "../../api/metrics";
import { useQuery } from "../../session/use_query";
import { axisTime } from "./plot/clock";
import { DataQuality } from "./data_quality";
import { ExportButtons } from "./export_buttons";
import { HeatMap } from "./plot/heat_map";
import { type Mark, marksOf } from "./series/marks";
import { gridOf } from "./series/metric_grid";
import { JobScores } from "./job_scores";
import { MetricsState } from "./metrics_state";
import { PlotCursor } from "./plot/plot_cursor";
import { kSections } from "./series/plot_catalog";
import { nodesOf, plotsOf } from "./series/plots";
import { useThemeVersion } from "./plot/plot_theme";
import { RangeControls } from "./range_controls";
import { SaturationTable } from "./saturation_table";
import { TimePlot } from "./plot/time_plot";
import {
  type Bounds,
  boundsOf,
  kWhole,
  pointsIn,
  type TimeRange,
} from "./series/time_range";
import { shortestStepS, stepFor } from "./series/steps";
import { type MeasuredJob, useJobMetrics } from "./use_job_metrics";
import "./metrics.css";
import { messages } from "#messages/metrics";

export function MetricsTab(props: {
  job: MeasuredJob;
  marks: readonly Mark[]; // of the job itself
}) {
  const { job } = props;
  const { view, reload } = useJobMetrics(job);
  const [range, setRange] = useState<TimeRange>(kWhole);
  const [asTable, setAsTable] = useState(false);
  const [cursor] = useState(() => new PlotCursor());
  const theme = useThemeVersion();
  const finer = useFinerGrid(job, view.grid?.stepS, range);
  const grid = finer ?? view.grid;
  // A grid changes in place.
  const version = finer ? -1 : view.version;
  const plots = useMemo(
    () => (grid && version ? plotsOf(grid, job) : []),
    [grid, version, job],
  );
  useEffect(() => cursor.set(undefined), [cursor, grid]);

  if (!grid || grid.length === 0 || plots.length === 0) {
    return <MetricsState job={job} view={view} onRetry={reload} />;
  }
  const bounds = boundsOf(range, grid);
  const points = pointsIn(bounds, grid);
  const marks = marksOf(view.events, props.marks, nodesOf(grid).length > 1);
  const visible = marks.filter(
    ({ atMs }) => atMs >= bounds.fromMs && atMs <= bounds.toMs,
  );
  const hasGpuValues = plots.some(({ section }) => section === "gpu");
  const zoom = (next: Bounds | undefined) =>
    setRange(next ? { kind: "selected", ...next } : kWhole);

  return (
    <div class="metrics" data-testid="metrics">
      <div class="metrics-tools">
        <RangeControls
          range={range}
          onRange={setRange}
          asTable={asTable}
          onTable={setAsTable}
          link={job.endedMs === undefined ? view.link : undefined}
        />
        <ExportButtons
          jobId={job.id}
          cluster={job.cluster}
          hasGpuValues={hasGpuValues}
        />
      </div>
      {visible.length > 0 && (
        <ul class="metrics-marks small" aria-label={messages.events}>
          {visible.map(({ atMs, text }) => (
            <li key={`${atMs} ${text}`} title={formatExactly(atMs)}>
              <time>{axisTime(atMs, true)}</time> {text}
            </li>
          ))}
        </ul>
      )}
      {job.gpus > 0 && !hasGpuValues && (
        <p class="muted" data-testid="no-gpu-values">
          {messages.noGpuValues}
        </p>
      )}
      {kSections.map(([section, title]) => {
        const own = plots.filter((plot) => plot.section === section);
        if (own.length === 0) return null;
        return (
          <section key={section} aria-label={title}>
            <h2>{title}</h2>
            {section === "gpu" && (
              <SaturationTable grid={grid} points={points} />
            )}
            {section === "gpu" && (
              <div class="job-scores">
                <JobScores
                  jobId={job.id}
                  cluster={job.cluster}
                  hasEnded={job.endedMs !== undefined}
                />
              </div>
            )}
            <div class="plots">
              {own.map((plot) => {
                const Shown = plot.isHeatMap ? HeatMap : TimePlot;
                return (
                  <div key={plot.id}>
                    <Shown
                      plot={plot}
                      grid={grid}
                      bounds={bounds}
                      marks={visible}
                      cursor={cursor}
                      theme={theme}
                      asTable={asTable}
                      onZoom={zoom}
                    />
                    {plot.omitted > 0 && (
                      <p class="muted small">
                        {messages.omittedLines({ count: plot.omitted })}
                      </p>
                    )}
                  </div>
                );
              })}
            </div>
          </section>
        );
      })}
      <DataQuality view={view} />
    </div>
  );
}

// A selected range of a long job with smaller steps than the whole job has.
function useFinerGrid(
  job: MeasuredJob,
  stepS: number | undefined,
  range: TimeRange,
) {
  const selected = range.kind === "selected" ? range : undefined;
  const step = selected && stepFor(selected.toMs - selected.fromMs, job.gpus);
  const isFiner =
    step !== undefined &&
    stepS !== undefined &&
    stepS > shortestStepS(job.gpus) &&
    step < stepS;
  const key = isFiner ? `${job.id} ${selected!.fromMs} ${selected!.toMs}` : "";
  const { value } = useQuery(async () => {
    if (!isFiner || !selected) return undefined;
    const response = await metricsClientOf(job.cluster).getJobMetrics({
      jobId: job.id,
      fromMs: BigInt(Math.floor(selected.fromMs)),
      toMs: BigInt(Math.ceil(selected.toMs)),
      stepS: step,
    });
    const grid = gridOf(response);
    return grid.length > 0 ? { key, grid } : undefined;
  }, key);
  return value?.key === key ? value.grid : undefined;
}
