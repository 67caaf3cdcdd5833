import type { GetUsageResponse, UsageRow } from "#proto/history";
import { formatNumber } from "../../../lib/format/number";
import { hoursOf } from "../history/history_labels";
import type { UsageForm } from "./usage_form";
import { TableBox } from "../../../ui/table_box";
import { trendLabel, type UsageBars } from "./usage_bars";
import { colorOf } from "./usage_chart";
import { messages } from "#messages/insights";
import { messages as usageMessages } from "#messages/usage";

const kHeads: Record<UsageForm["by"], string> = {
  GPU_TYPE: messages.gpuType,
  PROJECT: messages.project,
  USER: messages.user,
};

export function UsageTable(props: {
  usage: GetUsageResponse;
  // The period before, and the bars whose colours the rows show; absent: no trend.
  compared?: { before: GetUsageResponse; bars: UsageBars };
  by: UsageForm["by"];
  label(key: string, gpus: boolean): string;
}) {
  const { usage, compared, by, label } = props;
  const comparisonOf = compared && comparisons(compared);
  if (usage.rows.length === 0) {
    return (
      <p class="empty" data-testid="usage-none">
        {messages.noJobsRanInThis}
      </p>
    );
  }
  const max = Math.max(...usage.rows.map((row) => Number(row.gpuSeconds)), 1);
  return (
    <TableBox label={messages.usage}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{kHeads[by]}</th>
            <th scope="col" class="number">
              {messages.jobs}
            </th>
            <th scope="col" class="number">
              {messages.gpuHours}
            </th>
            <th scope="col" class="usage-share">
              <span class="sr-only">{messages.share}</span>
            </th>
            <th scope="col" class="number">
              {messages.cpuHours}
            </th>
            {compared && (
              <th scope="col" class="number">
                {usageMessages.trend}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {usage.rows.map((row) => (
            <Row
              key={row.key}
              row={row}
              label={label(row.key, row.gpuSeconds > 0n)}
              max={max}
              {...comparisonOf?.(row)}
            />
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

interface Comparison {
  readonly color: string;
  readonly trend: string;
}

function comparisons(of: {
  before: GetUsageResponse;
  bars: UsageBars;
}): (row: UsageRow) => Comparison {
  const { measure, keys } = of.bars;
  const earlier = new Map(of.before.rows.map((row) => [row.key, row[measure]]));
  return (row) => ({
    color: colorOf(keys, row.key),
    trend: trendLabel(row[measure], earlier.get(row.key) ?? 0n),
  });
}

function Row(
  props: {
    row: UsageRow;
    label: string;
    max: number;
  } & Partial<Comparison>,
) {
  const { row, label, max, color, trend } = props;
  return (
    <tr data-testid={`used-${row.key}`}>
      <td>
        {color && (
          <>
            <svg
              class={`usage-key ${color}`}
              width="12"
              height="12"
              aria-hidden
            >
              <rect width="12" height="12" rx="3" />
            </svg>{" "}
          </>
        )}
        {label}
      </td>
      <td class="number">{formatNumber(row.jobs)}</td>
      <td
        class="number"
        data-testid="gpu-hours"
        title={messages.jobsFromSlurmAccounting({
          jobs: String(row.accountedJobs),
          total: String(row.jobs),
        })}
      >
        {hoursOf(row.gpuSeconds)}
      </td>
      <td class="usage-share" aria-hidden="true">
        <svg width="100%" height="10">
          <rect class="taken" width="100%" height="10" rx="3" />
          <rect
            class="free"
            width={`${(100 * Number(row.gpuSeconds)) / max}%`}
            height="10"
            rx="3"
          />
        </svg>
      </td>
      <td class="number">{hoursOf(row.cpuSeconds)}</td>
      {trend !== undefined && <td class="number nowrap">{trend}</td>}
    </tr>
  );
}
