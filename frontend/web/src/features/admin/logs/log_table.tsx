import type { LogEntry } from "#proto/log";
import { TableBox } from "../../../ui/table_box";
import { messages } from "#messages/admin";
import { TimeAndSeverity } from "../severity";
import { logJobLabel, severityLabel } from "./log_labels";

export function LogTable({ entries }: { entries: readonly LogEntry[] }) {
  return (
    <TableBox label={messages.logs}>
      <table class="table log-table">
        <thead>
          <tr>
            <th scope="col">{messages.time}</th>
            <th scope="col">{messages.level}</th>
            <th scope="col">{messages.service}</th>
            <th scope="col">{messages.node}</th>
            <th scope="col">{messages.job}</th>
            <th scope="col">{messages.text}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.sequence} entry={entry} />
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function EntryRow({ entry }: { entry: LogEntry }) {
  return (
    <tr data-testid="log-entry" data-service={entry.service}>
      <TimeAndSeverity at={entry.at} severity={severityLabel(entry)} />
      <td class="nowrap">{entry.service}</td>
      <td class="mono">{entry.node}</td>
      <td class="mono">{logJobLabel(entry)}</td>
      <td>
        {entry.message}
        {entry.requestId !== "" && (
          <span class="muted small cell-more">
            {messages.requestId} <span class="mono">{entry.requestId}</span>
          </span>
        )}
      </td>
    </tr>
  );
}
