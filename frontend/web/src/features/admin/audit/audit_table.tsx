import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { AuditEntry } from "#proto/audit";
import { Icon } from "../../../ui/icon";
import { Moment } from "../../../ui/moment";
import { AuditDetails } from "./audit_details";
import { messages } from "#messages/admin";

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const [open, setOpen] = useState<bigint>();
  return (
    <div class="table-box">
      <table class="table audit-table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {messages.no}
            </th>
            <th scope="col">{messages.time}</th>
            <th scope="col">{messages.user}</th>
            <th scope="col">{messages.operation}</th>
            <th scope="col">{messages.object}</th>
            <th scope="col">{messages.result}</th>
            <th scope="col">{messages.from}</th>
            <th scope="col">
              <span class="sr-only">{messages.details}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Fragment key={entry.sequence}>
              <EntryRow
                entry={entry}
                open={open === entry.sequence}
                onToggle={() =>
                  setOpen(open === entry.sequence ? undefined : entry.sequence)
                }
              />
              {open === entry.sequence && (
                <tr id={detailsId(entry)} class="audit-details">
                  <td colSpan={8}>
                    <AuditDetails entry={entry} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function detailsId({ sequence }: AuditEntry): string {
  return `entry-${sequence}`;
}

function EntryRow(props: {
  entry: AuditEntry;
  open: boolean;
  onToggle(): void;
}) {
  const { entry, open, onToggle } = props;
  const refused = entry.decision === "refuse";
  return (
    <tr data-testid="audit-entry" data-decision={entry.decision}>
      <td class="number muted">{String(entry.sequence)}</td>
      <td class="nowrap">
        <Moment at={entry.at} />
      </td>
      <td>
        {entry.actor || <span class="muted nowrap">{messages.unknown}</span>}
      </td>
      <td class="nowrap">{entry.act}</td>
      <td class="mono">{entry.subject}</td>
      <td>
        <span class="state" data-tone={refused ? "bad" : "good"}>
          {entry.decision}
        </span>
        {entry.result !== "ok" && (
          <span class="small cell-more">{entry.result}</span>
        )}
      </td>
      <td class="mono">{entry.source}</td>
      <td>
        <button
          class="icon-button details-button"
          type="button"
          aria-label={messages.detailsOfEntry({ sequence: entry.sequence })}
          aria-expanded={open}
          aria-controls={detailsId(entry)}
          onClick={onToggle}
        >
          <Icon name="chevron" />
        </button>
      </td>
    </tr>
  );
}
