// The utilization of the cluster, as recorded by Carme.
import { useRef, useState } from "preact/hooks";
import {
  type GetUtilizationHistoryResponse,
  UtilizationRange,
  type UtilizationSeries,
} from "#proto/cluster_utilization";
import { clusterUtilizationClient } from "../../../api/history";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { Panel } from "../../../ui/panel";
import { Tabs } from "../../../ui/tabs";
import {
  averageOf,
  type ChartSpan,
  columnsOf,
  newestOf,
  percent,
  pointAt,
} from "./utilization_chart";
import { messages } from "#messages/insights";

const kRanges: readonly (readonly [string, string, UtilizationRange])[] = [
  ["day", messages.day, UtilizationRange.DAY],
  ["month", messages.month, UtilizationRange.MONTH],
  ["year", messages.year, UtilizationRange.YEAR],
];

export function UtilizationPanel() {
  const [chosen, setChosen] = useState("day");
  const range = kRanges.find(([id]) => id === chosen)![2];
  const loaded = useQuery(
    () => clusterUtilizationClient.getUtilizationHistory({ range }),
    chosen,
  );
  return (
    <Panel
      title={messages.utilization}
      about={messages.allocatedShareOfTheAvailable}
      testId="use-history"
    >
      <Tabs
        label={messages.period}
        tabs={kRanges.map(([id, label]) => ({ id, label }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        <QueryView loaded={loaded}>
          {(history) => <Charts history={history} />}
        </QueryView>
      </Tabs>
    </Panel>
  );
}

function Charts({ history }: { history: GetUtilizationHistoryResponse }) {
  const span: ChartSpan = {
    fromMs: msOf(history.from) ?? 0,
    toMs: msOf(history.to) ?? 1,
    stepMs: history.stepS * 1000,
  };
  if (history.series.length === 0) {
    return (
      <p class="empty" data-testid="use-none">
        {messages.noDataYetTheFirst}
      </p>
    );
  }
  return (
    <ul class="use-charts">
      {history.series.map((series) => (
        <Chart key={series.gpuType} series={series} span={span} />
      ))}
    </ul>
  );
}

function Chart({
  series,
  span,
}: {
  series: UtilizationSeries;
  span: ChartSpan;
}) {
  const plot = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState<number>();
  const name = series.gpuType || messages.cpus;
  const average = averageOf(series);
  const newest = newestOf(series);
  const marked =
    share === undefined ? undefined : pointAt(series.points, span, share);
  const now = Date.now();
  const text =
    average === undefined
      ? messages.noneAvailable
      : messages.onAverage({ share: percent(average) });
  const middle = (span.fromMs + span.toMs) / 2;
  const step = span.stepMs / (span.toMs - span.fromMs);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    // Between the edges of the first and the last step.
    const next = (share ?? 1 + step / 2) + by;
    setShare(Math.min(1 - step / 2, Math.max(step / 2, next)));
  };
  return (
    <li class="use-chart" data-testid={`use-${series.gpuType || "cpus"}`}>
      <p class="use-head">
        <strong>{name}</strong>
        {newest && (
          <span class="use-now">
            {percent(newest.used / newest.total)}
            <span class="muted small"> {messages.now}</span>
          </span>
        )}
        <span class="muted small">{text}</span>
      </p>
      <div class="use-plot">
        <div class="use-scale muted" aria-hidden="true">
          <span>100 %</span>
          <span>50 %</span>
          <span>0 %</span>
        </div>
        <div
          ref={plot}
          class="use-area"
          role="group"
          tabIndex={0}
          aria-label={messages.chartWithKeys({ name, text })}
          onKeyDown={onKeyDown}
          onBlur={() => setShare(undefined)}
          onPointerLeave={() => setShare(undefined)}
          onPointerMove={(event) => {
            const box = plot.current!.getBoundingClientRect();
            setShare((event.clientX - box.left) / box.width);
          }}
        >
          <svg
            viewBox="0 0 1000 100"
            preserveAspectRatio="none"
            width="100%"
            height="96"
            aria-hidden="true"
          >
            <path class="use-line" d="M0 0H1000M0 50H1000M0 100H1000" />
            <path class="use-columns" d={columnsOf(series.points, span)} />
            {share !== undefined && (
              <path class="use-cursor" d={`M${1000 * share} 0V100`} />
            )}
          </svg>
        </div>
        <p class="use-axis muted">
          <span>{formatMoment(span.fromMs, now)}</span>
          <span>{formatMoment(middle, now)}</span>
          <span>{messages.now}</span>
        </p>
      </div>
      <p class="use-value small" aria-live="polite" data-testid="use-value">
        {marked
          ? messages.usedAt({
              moment: formatMoment(msOf(marked.at) ?? 0, now),
              share: percent(marked.used / marked.total),
              used: marked.used,
              total: marked.total,
            })
          : share !== undefined && messages.noDataAtThisTime}
      </p>
    </li>
  );
}
