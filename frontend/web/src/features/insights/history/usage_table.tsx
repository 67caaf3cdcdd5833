import type { GetUsageResponse, UsageRow } from "#proto/history";
import { hoursOf } from "./history_labels";
import type { UsageForm } from "./usage_form";
import { messages } from "../messages";

const kHeads: Record<UsageForm["by"], string> = {
  GPU_TYPE: messages.gpuType,
  PROJECT: messages.project,
  USER: messages.user,
};

export function UsageTable(props: {
  usage: GetUsageResponse;
  by: UsageForm["by"];
  label(key: string, gpus: boolean): string;
}) {
  const { usage, by, label } = props;
  if (usage.rows.length === 0) {
    return (
      <p class="empty" data-testid="usage-none">
        {messages.noJobsRanInThis}
      </p>
    );
  }
  const max = Math.max(...usage.rows.map((row) => Number(row.gpuSeconds)), 1);
  return (
    <div class="table-box">
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
            <th scope="col" class="number">
              {messages.jobsWithSlurmFigures}
            </th>
          </tr>
        </thead>
        <tbody>
          {usage.rows.map((row) => (
            <Row
              key={row.key}
              row={row}
              label={label(row.key, row.gpuSeconds > 0n)}
              max={max}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { row: UsageRow; label: string; max: number }) {
  const { row, label, max } = props;
  return (
    <tr data-testid={`used-${row.key}`}>
      <td>{label}</td>
      <td class="number">{String(row.jobs)}</td>
      <td class="number" data-testid="gpu-hours">
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
      <td class="number">
        {messages.usedOf(String(row.accountedJobs), String(row.jobs))}
      </td>
    </tr>
  );
}
