// A plot of many GPUs: a row for each, time from left to right.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { axisTime } from "./clock";
import { cellAt, heatOf, type HeatCell } from "../series/heat_cells";
import { pointAfterKey } from "./plot_cursor";
import { useCursorPoint } from "./plot_legend";
import { PlotTable } from "./plot_table";
import { plotColors } from "./plot_theme";
import { pointsIn } from "../series/time_range";
import { kClockTimes } from "./time_axis";
import type { PlotProps } from "./time_plot";
import type { Plot } from "../series/plots";
import { formatValue } from "../series/units";
import { messages } from "#messages/metrics";

const kRowPx = 12;

export function HeatMap(props: PlotProps) {
  const { plot, grid, bounds, cursor, theme, asTable } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [row, setRow] = useState(0);
  const points = pointsIn(bounds, grid);
  const { point, isKeyboard } = useCursorPoint(cursor);
  const height = plot.lines.length * kRowPx;
  const top = heatOf(plot);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const follow = () => setWidth(element.clientWidth);
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    follow();
    return () => observer.disconnect();
  }, [asTable]);

  const cells = useMemo(
    () => cellsOf(plot, points.first, points.end, top),
    [plot, points.first, points.end, top],
  );
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || width === 0) return;
    const colors = plotColors(element.parentElement!);
    element.width = width * devicePixelRatio;
    element.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.imageSmoothingEnabled = false;
    context.drawImage(tinted(cells, colors.heat), 0, 0, width, height);
    context.fillStyle = colors.surface;
    for (let at = 1; at <= plot.lines.length; at++) {
      context.fillRect(0, at * kRowPx - 1, width, 1);
    }
    if (point === undefined) return;
    const cell = width / Math.max(1, points.end - points.first);
    context.strokeStyle = colors.text;
    context.strokeRect((point - points.first + 0.5) * cell, 0, 0, height);
    context.strokeRect(0.5, row * kRowPx, width - 1, kRowPx - 1);
  }, [plot, points.first, points.end, width, height, cells, point, row, theme]);

  const shown = point ?? points.end - 1;
  const cellShown: HeatCell | undefined = cellAt(plot, row, shown);

  const onKeyDown = (event: KeyboardEvent) => {
    const rowMove = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (rowMove !== undefined) {
      event.preventDefault();
      setRow(Math.min(Math.max(0, row + rowMove), plot.lines.length - 1));
      return;
    }
    const { first, end } = points;
    const next = pointAfterKey(event.key, cursor.point, first, end - 1);
    if (next === undefined) return;
    event.preventDefault();
    cursor.set(next, true);
  };
  const onPointer = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    const at = Math.floor(share * (points.end - points.first));
    cursor.set(Math.min(points.end - 1, points.first + Math.max(0, at)), true);
    const line = Math.floor((event.clientY - box.top) / kRowPx);
    setRow(Math.min(Math.max(0, line), plot.lines.length - 1));
  };

  return (
    <figure class="plot" data-testid={`plot-${plot.id}`}>
      <figcaption>
        <h3>{plot.title}</h3>
        {plot.about && <p class="muted small">{plot.about}</p>}
      </figcaption>
      {asTable ? (
        <PlotTable plot={plot} grid={grid} axis={kClockTimes} points={points} />
      ) : (
        <div
          class="heat-map"
          tabIndex={0}
          role="group"
          aria-label={`${messages.heatMapOf({ title: plot.title, rows: plot.lines.length })}. ${messages.keyboardHelp}`}
          onKeyDown={onKeyDown}
        >
          <canvas
            ref={canvas}
            width={width}
            height={height}
            data-testid="heat-map"
            onPointerMove={onPointer}
            onPointerLeave={() => cursor.set(undefined, true)}
          />
          <p class="heat-times muted small">
            <time>{axisTime(grid.timeMs(points.first), true)}</time>
            <time>{axisTime(grid.timeMs(points.end - 1), true)}</time>
          </p>
        </div>
      )}
      <p
        class="plot-legend small"
        data-testid="heat-value"
        aria-live={isKeyboard ? "polite" : "off"}
      >
        {cellShown && (
          <>
            <strong>{formatValue(plot.unit, cellShown.value)}</strong>
            {` · ${cellShown.label} · ${axisTime(grid.timeMs(shown), true)}`}
          </>
        )}
        <span class="heat-scale muted">
          {formatValue(plot.unit, 0)}
          <svg width="80" height="10" aria-hidden="true">
            {Array.from({ length: 8 }, (_, at) => (
              <rect
                key={at}
                class="heat-step"
                x={at * 10}
                width="10"
                height="10"
                opacity={0.08 + (0.92 * at) / 7}
              />
            ))}
          </svg>
          {formatValue(plot.unit, top)}
        </span>
      </p>
    </figure>
  );
}

// A pixel for each value: its opacity is the value, and a gap is transparent.
function cellsOf(
  plot: Plot,
  first: number,
  end: number,
  top: number,
): HTMLCanvasElement {
  const columns = Math.max(1, end - first);
  const pixels = new ImageData(columns, Math.max(1, plot.lines.length));
  plot.lines.forEach(({ values }, at) => {
    for (let i = 0; i < columns; i++) {
      const value = values[first + i] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      const opacity = 0.08 + 0.92 * Math.min(1, Math.max(0, value / top));
      pixels.data[(at * columns + i) * 4 + 3] = Math.round(255 * opacity);
    }
  });
  const made = document.createElement("canvas");
  made.width = pixels.width;
  made.height = pixels.height;
  made.getContext("2d")?.putImageData(pixels, 0, 0);
  return made;
}

function tinted(cells: HTMLCanvasElement, color: string): HTMLCanvasElement {
  const made = document.createElement("canvas");
  made.width = cells.width;
  made.height = cells.height;
  const context = made.getContext("2d");
  if (!context) return cells;
  context.drawImage(cells, 0, 0);
  context.globalCompositeOperation = "source-in";
  context.fillStyle = color;
  context.fillRect(0, 0, made.width, made.height);
  return made;
}
