// The utilization of the cluster, as recorded by Carme.
import { useState } from "preact/hooks";
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
  percent,
} from "./utilization_chart";
import { messages } from "../messages";

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
  const name = series.gpuType || messages.cpus;
  const average = averageOf(series);
  const text =
    average === undefined
      ? messages.noneAvailable
      : messages.onAverage(percent(average));
  const now = Date.now();
  return (
    <li class="use-chart" data-testid={`use-${series.gpuType || "cpus"}`}>
      <p>
        <strong>{name}</strong> <span class="muted">{text}</span>
      </p>
      <svg
        viewBox="0 0 1000 100"
        preserveAspectRatio="none"
        width="100%"
        height="72"
        role="img"
        aria-label={messages.chartLabel(name, text)}
      >
        <rect class="use-ground" width="1000" height="100" />
        <path class="use-half" d="M0 50H1000" />
        <path class="use-columns" d={columnsOf(series.points, span)} />
      </svg>
      <p class="use-axis muted small">
        <span>{formatMoment(span.fromMs, now)}</span>
        <span>{messages.now}</span>
      </p>
    </li>
  );
}
