// One node: its state, and what happened on it, newest first.
import type {
  GetNodeHistoryResponse,
  NodeHistoryEntry,
} from "#proto/node_history";
import { nodeHistoryClient } from "../../../api/admin";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf, jobHref } from "../../../routes/route";
import { Icon } from "../../../ui/icon";
import { TableBox } from "../../../ui/table_box";
import { kPageSize, PagedEntriesView, usePagedEntries } from "../paged_entries";
import { TimeAndSeverity } from "../severity";
import { messages } from "#messages/nodes";
import {
  entryJobLabel,
  entrySeverityLabel,
  entrySourceLabel,
  ruleStateLabel,
} from "./node_history_labels";

export function NodePage({ node }: { node: string }) {
  const list = usePagedEntries<NodeHistoryEntry>(
    (pageToken) =>
      nodeHistoryClient.getNodeHistory({
        node,
        pageToken,
        pageSize: kPageSize,
      }),
    node,
  );
  // The answer is a page of entries with the state beside it.
  const answer = list.loaded.value as GetNodeHistoryResponse | undefined;
  return (
    <>
      <a class="link-button" href={hrefOf("nodes")}>
        <Icon name="back" /> {messages.allNodes}
      </a>
      <PageTitle text={node} />
      {answer && <NodeState answer={answer} />}
      <p class="muted">{messages.historyAbout}</p>
      <PagedEntriesView
        list={list}
        testId="node-history-older"
        emptyText={() => messages.noEntries}
      >
        {(entries) => (
          <TableBox label={messages.historyOf({ node })}>
            <NodeHistoryTable entries={entries} />
          </TableBox>
        )}
      </PagedEntriesView>
    </>
  );
}

function NodeState({ answer }: { answer: GetNodeHistoryResponse }) {
  const { label, tone } = ruleStateLabel(answer);
  return (
    <dl class="fact-grid">
      <div>
        <dt>{messages.stateByRules}</dt>
        <dd>
          <span class="state" data-tone={tone} data-testid="node-rule-state">
            {label}
          </span>
        </dd>
      </div>
      <div>
        <dt>{messages.slurmState}</dt>
        <dd data-testid="node-slurm-state">
          {answer.slurmState || messages.unknownNode}
          {answer.slurmReason && (
            <span class="cell-more">{answer.slurmReason}</span>
          )}
        </dd>
      </div>
    </dl>
  );
}

function NodeHistoryTable(props: { entries: readonly NodeHistoryEntry[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{messages.time}</th>
          <th scope="col">{messages.severity}</th>
          <th scope="col">{messages.source}</th>
          <th scope="col">{messages.name}</th>
          <th scope="col">{messages.job}</th>
          <th scope="col">{messages.text}</th>
        </tr>
      </thead>
      <tbody>
        {props.entries.map((entry) => (
          <EntryRow key={String(entry.sequence)} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

function EntryRow({ entry }: { entry: NodeHistoryEntry }) {
  const job = entryJobLabel(entry);
  return (
    <tr data-testid="node-entry" data-source={entry.source}>
      <TimeAndSeverity at={entry.at} severity={entrySeverityLabel(entry)} />
      <td>{entrySourceLabel(entry)}</td>
      <td class="mono">{entry.name}</td>
      <td>
        {entry.jobId && (
          <a class="mono" href={jobHref(entry.jobId)}>
            {entry.jobId}
          </a>
        )}
        {job && <span class="muted small cell-more">{job}</span>}
      </td>
      <td>{entry.text}</td>
    </tr>
  );
}
