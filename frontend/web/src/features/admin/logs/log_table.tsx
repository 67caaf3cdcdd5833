import type { LogEntry } from "#proto/log";
import { Moment } from "../../../ui/moment";
import { messages } from "../messages";
import { logJobLabel, severityLabel } from "./log_labels";

export function LogTable({ entries }: { entries: readonly LogEntry[] }) {
  return (
    <div class="table-box">
      <table class="table">
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
    </div>
  );
}

function EntryRow({ entry }: { entry: LogEntry }) {
  const { label, tone } = severityLabel(entry);
  return (
    <tr data-testid="log-entry" data-service={entry.service}>
      <td class="nowrap">
        <Moment at={entry.at} />
      </td>
      <td>
        <span class="state" data-tone={tone}>
          {label}
        </span>
      </td>
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
