// Stacked bars over time. The table below is the legend, and has the sums.
import { useState } from "preact/hooks";
import {
  formatDay,
  formatMonth,
  formatShortDay,
  formatShortMonth,
  formatWeekday,
} from "../../../lib/format/moment";
import { hoursOf } from "../history/history_labels";
import { heightOf, kOthers, type Segment, type UsageBars } from "./usage_bars";
import type { Bucket, Step } from "./usage_buckets";
import { messages } from "#messages/usage";

const kLabels = 4; // of the time axis, at most

export function UsageChart(props: {
  bars: UsageBars;
  buckets: readonly Bucket[];
  step: Step;
  label(key: string): string;
}) {
  const { buckets, step, label } = props;
  const { bars, keys, measure, maxSeconds } = props.bars;
  const [marked, setMarked] = useState<number>();
  const count = buckets.length;
  const title = measure === "gpuSeconds" ? kGpuTitles[step] : kCpuTitles[step];
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = (marked ?? (by < 0 ? count : -1)) + by;
    setMarked(Math.min(count - 1, Math.max(0, next)));
  };
  const every = count <= 7 ? 1 : Math.ceil(count / kLabels);
  return (
    <figure class="usage-chart" data-testid="usage-chart">
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      <div class="use-plot">
        <div class="use-scale muted" aria-hidden="true">
          <span>{hours(maxSeconds)}</span>
          <span>{hours(maxSeconds / 2)}</span>
          <span>0</span>
        </div>
        <div
          class="use-area"
          role="group"
          tabIndex={0}
          aria-label={messages.chartKeys({ title })}
          onKeyDown={onKeyDown}
          onBlur={() => setMarked(undefined)}
          onPointerLeave={() => setMarked(undefined)}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const at = Math.floor(
              (count * (event.clientX - box.left)) / box.width,
            );
            setMarked(Math.min(count - 1, Math.max(0, at)));
          }}
        >
          <svg
            viewBox={`0 0 ${10 * count} 100`}
            preserveAspectRatio="none"
            width="100%"
            height="160"
            aria-hidden="true"
          >
            <path
              class="use-line"
              d={`M0 0H${10 * count}M0 50H${10 * count}M0 100H${10 * count}`}
            />
            {marked !== undefined && (
              <rect
                class="usage-marked"
                x={10 * marked}
                width="10"
                height="100"
              />
            )}
            {bars.map((bar, at) =>
              bar.map(({ key, seconds, from }) => (
                <rect
                  key={`${at} ${key}`}
                  class={colorOf(keys, key)}
                  x={10 * at + 1}
                  width="8"
                  y={100 - (100 * (from + seconds)) / maxSeconds}
                  height={(100 * seconds) / maxSeconds}
                />
              )),
            )}
          </svg>
        </div>
        <p class="usage-axis muted" aria-hidden="true">
          {buckets.map(({ fromMs }, at) => (
            <span key={fromMs}>
              {at % every === 0 && axisLabel(step, fromMs, count)}
            </span>
          ))}
        </p>
      </div>
      <p class="use-value small" aria-live="polite" data-testid="usage-value">
        {marked !== undefined &&
          valueLabel(
            bucketLabel(step, buckets[marked]!),
            bars[marked] ?? [],
            label,
          )}
      </p>
    </figure>
  );
}

const kGpuTitles: Record<Step, string> = {
  day: messages.gpuHoursByDay,
  week: messages.gpuHoursByWeek,
  month: messages.gpuHoursByMonth,
};
const kCpuTitles: Record<Step, string> = {
  day: messages.cpuHoursByDay,
  week: messages.cpuHoursByWeek,
  month: messages.cpuHoursByMonth,
};

// The class of a row's colour, in the chart and in the table.
export function colorOf(keys: readonly string[], key: string): string {
  const at = keys.indexOf(key);
  return at < 0 ? "usage-others" : `usage-color plot-color-${at}`;
}

function hours(seconds: number): string {
  return hoursOf(BigInt(Math.round(seconds)));
}

function axisLabel(step: Step, fromMs: number, count: number): string {
  if (step === "month") return formatShortMonth(fromMs);
  return count <= 7 ? formatWeekday(fromMs) : formatShortDay(fromMs);
}

function bucketLabel(step: Step, { fromMs, toMs }: Bucket): string {
  if (step === "month") return formatMonth(fromMs);
  if (step === "day") return formatDay(fromMs);
  // The day before the end: an end is midnight.
  const last = toMs - 1;
  return messages.fromTo({
    from: formatShortDay(fromMs),
    to: formatShortDay(last),
  });
}

// "3 Nov 2026: 12 (h200 8, a100 4)".
function valueLabel(
  when: string,
  bar: readonly Segment[],
  label: (key: string) => string,
): string {
  const parts = bar.map(({ key, seconds }) =>
    messages.part({
      name: key === kOthers ? messages.others : label(key),
      hours: hours(seconds),
    }),
  );
  const sum = hours(heightOf(bar));
  return parts.length === 0
    ? messages.valueAt({ when, hours: sum })
    : messages.valueWithParts({ when, hours: sum, parts: parts.join(", ") });
}
