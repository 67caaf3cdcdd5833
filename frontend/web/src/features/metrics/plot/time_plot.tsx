// One plot over time, with a cursor that all plots of the page share.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEvent } from "../../../lib/use_event";
import { type PlotCursor, pointAfterKey } from "./plot_cursor";
import type { TimeGrid } from "../series/metric_grid";
import type { Mark } from "../series/marks";
import { PlotLegend } from "./plot_legend";
import { PlotTable } from "./plot_table";
import type { Plot } from "../series/plots";
import { kColors, plotColors, type PlotColors } from "./plot_theme";
import { type Bounds, pointsIn } from "../series/time_range";
import { axisSteps, formatTick } from "../series/units";
import { kClockTimes, kSteps, type TimeAxis } from "./time_axis";
import { messages } from "#messages/metrics";

const kHeight = 200;
const kAxisWidth = 76;
const kAxisHeight = 38; // two lines where the day changes
const kTickSpace = 64; // "14:05:09"
const kSyncKey = "job-metrics";

export interface PlotProps {
  readonly plot: Plot;
  readonly grid: TimeGrid;
  readonly axis?: TimeAxis; // absent: points in time
  readonly bounds: Bounds;
  readonly marks: readonly Mark[];
  readonly cursor: PlotCursor;
  readonly theme: number;
  readonly asTable: boolean;
  onZoom(bounds: Bounds | undefined): void; // undefined: back
}

export function TimePlot(props: PlotProps) {
  const { plot, grid, axis = kClockTimes } = props;
  const { bounds, cursor, theme, asTable, onZoom } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const points = pointsIn(bounds, grid);
  const newest = useRef(props);
  newest.current = props;
  const scalesLimits = reachesLimits(plot);
  const shape = `${plot.lines.map(({ key }) => key).join()} ${theme} ${asTable} ${scalesLimits}`;
  const zoom = useEvent(onZoom);
  const data = useMemo(() => dataOf(plot, grid), [plot, grid]);

  useEffect(() => {
    const box = host.current;
    if (!box) return;
    const colors = plotColors(box);
    const made = new uPlot(
      optionsOf(box.clientWidth, colors, newest, cursor, zoom),
      dataOf(newest.current.plot, newest.current.grid),
      box,
    );
    chart.current = made;
    scaleTo(made, newest.current.bounds);
    const observer = new ResizeObserver(() =>
      made.setSize({ width: box.clientWidth, height: kHeight }),
    );
    observer.observe(box);
    const stopListening = cursor.listen((point, isKeyboard) => {
      if (isKeyboard) moveCursor(made, point);
    });
    return () => {
      stopListening();
      observer.disconnect();
      made.destroy();
      chart.current = undefined;
    };
  }, [shape, cursor, zoom]);

  useEffect(() => {
    chart.current?.setData(data, false);
    if (chart.current) scaleTo(chart.current, bounds);
  }, [data, bounds]);
  useEffect(() => {
    plot.lines.forEach(({ key }, at) =>
      chart.current?.setSeries(at + 1, { show: !hidden.has(key) }),
    );
  }, [hidden, plot.lines, shape]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return cursor.set(undefined, true);
    const { first, end } = points;
    const next = pointAfterKey(event.key, cursor.point, first, end - 1);
    if (next === undefined || end <= first) return;
    event.preventDefault();
    cursor.set(next, true);
  };
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };

  return (
    <figure class="plot" data-testid={`plot-${plot.id}`}>
      <figcaption>
        <h3>{plot.title}</h3>
        {plot.about && <p class="muted small">{plot.about}</p>}
      </figcaption>
      {asTable ? (
        <PlotTable plot={plot} grid={grid} axis={axis} points={points} />
      ) : (
        <div
          ref={host}
          class="plot-canvas"
          tabIndex={0}
          role="group"
          aria-label={`${plot.title}. ${messages.keyboardHelp}`}
          onKeyDown={onKeyDown}
        />
      )}
      <PlotLegend
        plot={plot}
        grid={grid}
        axis={axis}
        points={points}
        cursor={cursor}
        hidden={hidden}
        onToggle={toggle}
      />
    </figure>
  );
}

// Values far below a limit could not be read on an axis up to the limit.
const kReachesLimit = 0.3;

function reachesLimits({ lines }: Plot): boolean {
  const highest = (isLimit: boolean) =>
    lines
      .filter((line) => line.isLimit === isLimit)
      .flatMap(({ values }) => values)
      .reduce((max, value) => (value > max ? value : max), 0);
  return highest(false) >= kReachesLimit * highest(true);
}

// Seconds, then the values of each line; null is a gap.
function dataOf(plot: Plot, grid: TimeGrid): uPlot.AlignedData {
  const times = Array.from(
    { length: grid.length },
    (_, point) => grid.timeMs(point) / 1000,
  );
  const lines = plot.lines.map(({ values }) =>
    values.map((value) => (Number.isNaN(value) ? null : value)),
  );
  return [times, ...lines];
}

function scaleTo(chart: uPlot, { fromMs, toMs }: Bounds): void {
  chart.setScale("x", { min: fromMs / 1000, max: toMs / 1000 });
}

function moveCursor(chart: uPlot, point: number | undefined): void {
  const time = point === undefined ? undefined : chart.data[0][point];
  const left = time === undefined ? -10 : chart.valToPos(time, "x");
  const top = time === undefined ? -10 : chart.over.clientHeight / 2;
  chart.setCursor({ left, top }, false);
}

function optionsOf(
  width: number,
  colors: PlotColors,
  props: { readonly current: PlotProps },
  cursor: PlotCursor,
  zoom: (bounds: Bounds | undefined) => void,
): uPlot.Options {
  const { plot, axis: times = kClockTimes } = props.current;
  const { unit } = plot;
  const axis = {
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, width: 1 },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height: kHeight,
    legend: { show: false },
    cursor: {
      // The other plots show the cursor, but not what is being selected.
      sync: { key: kSyncKey, filters: { sub: movesCursor, pub: movesCursor } },
      drag: { x: true, y: false, setScale: false },
      y: false,
      bind: {
        dblclick: () => () => {
          zoom(undefined);
          return null;
        },
      },
    },
    scales: {
      x: { time: times.isClock },
      y: {
        range: (_chart, min, max) =>
          unit === "number" ? rangeAround(min, max) : rangeFromZero(min, max),
      },
    },
    axes: [
      {
        ...axis,
        size: kAxisHeight,
        space: kTickSpace,
        ...(!times.isClock && { incrs: [...kSteps] }),
        values: (_chart, ticks) => timeTicks(times, ticks),
      },
      {
        ...axis,
        size: kAxisWidth,
        incrs: axisSteps(unit),
        values: (_chart, ticks) => ticks.map((tick) => formatTick(unit, tick)),
      },
    ],
    series: [
      {},
      ...plot.lines.map(({ label, isLimit }, at) => ({
        label,
        stroke: isLimit ? colors.limit : colors.lines[at % kColors]!,
        width: isLimit ? 1 : 1.5,
        ...(isLimit && {
          auto: reachesLimits(plot),
          dash: [6, 4],
          points: { show: false },
        }),
        spanGaps: false,
      })),
    ],
    hooks: {
      setCursor: [(chart) => cursor.set(chart.cursor.idx ?? undefined)],
      setSelect: [
        (chart) => {
          const { left, width: selected } = chart.select;
          if (selected < 4) return;
          zoom({
            fromMs: chart.posToVal(left, "x") * 1000,
            toMs: chart.posToVal(left + selected, "x") * 1000,
          });
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [(chart) => drawMarks(chart, props.current.marks, colors.event)],
    },
  };
}

function movesCursor(event: string): boolean {
  return event === "mousemove" || event === "mouseleave";
}

function rangeFromZero(min: number, max: number): [number, number] {
  const top = Math.max(0, max);
  return [Math.min(0, min), top === 0 ? 1 : top * 1.08];
}

function rangeAround(min: number, max: number): [number, number] {
  const margin = max > min ? (max - min) * 0.08 : Math.abs(max) * 0.1 || 1;
  return [min - margin, max + margin];
}

// Seconds only if ticks are closer than a minute; the day where it changes.
function timeTicks(times: TimeAxis, ticks: readonly number[]): string[] {
  const isFine = (ticks[1] ?? 0) - (ticks[0] ?? 0) < 60;
  return ticks.map((tick, at) => {
    const before = at > 0 ? ticks[at - 1]! * 1000 : undefined;
    return times.format(tick * 1000, isFine, before);
  });
}

function drawMarks(chart: uPlot, marks: readonly Mark[], color: string): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { atMs } of marks) {
    const x = Math.round(chart.valToPos(atMs / 1000, "x", true));
    if (x < left || x > left + width) continue;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    const half = 4 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x - half, top);
    ctx.lineTo(x + half, top);
    ctx.lineTo(x, top + half);
    ctx.fill();
  }
  ctx.restore();
}
