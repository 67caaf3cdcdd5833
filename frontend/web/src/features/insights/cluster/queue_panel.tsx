// The queue: counts by partition, and the pending jobs that the user may see.
import type { Queue, QueuePlace } from "#proto/cluster_utilization";
import { type Job, JobState } from "#proto/jobs";
import { clusterOf } from "../../../api/clusters";
import { jobHref } from "../../../routes/route";
import { useClusterChoice } from "../../../session/cluster_context";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useQuery } from "../../../session/use_query";
import { useReload } from "../../../session/use_reload";
import { Panel } from "../../../ui/panel";
import { TableBox } from "../../../ui/table_box";
import { useNow } from "../../../ui/use_now";
import { loadAllJobs } from "./load_all_jobs";
import {
  positionLabel,
  type QueueRow,
  queueRows,
  startLabel,
} from "./queue_rows";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

const kMaxRows = 200;

export function QueuePanel(props: {
  queues: readonly Queue[];
  places: readonly QueuePlace[];
  own: readonly Job[]; // the user's jobs
}) {
  const { queues, places, own } = props;
  const { session } = useSession();
  const { selected } = useClusterChoice();
  const seesAll = mayAdminister(session);
  const all = useQuery(async () =>
    seesAll ? await loadAllJobs([JobState.PENDING]) : [],
  );
  useReload(all);
  const rows = queueRows({
    own: own.filter((job) => clusterOf(job) === selected),
    others: (all.value ?? []).flatMap(({ job }) => job ?? []),
    places,
  });
  return (
    <Panel
      title={messages.queue}
      about={messages.jobsOfAllUsersAlso}
      testId="queue"
    >
      <TableBox label={messages.queue}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{messages.partition}</th>
              <th scope="col" class="number">
                {messages.running}
              </th>
              <th scope="col" class="number">
                {messages.pending}
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ partition, running, waiting }) => (
              <tr key={partition} data-testid={`queue-${partition}`}>
                <td>{partition}</td>
                <td class="number">{running}</td>
                <td class="number">{waiting}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      <h3>{seesAll ? cluster.pendingJobs : cluster.yourPendingJobs}</h3>
      {rows.length === 0 ? (
        <p class="muted" data-testid="places-none">
          {seesAll ? cluster.noPendingJobs : cluster.noneOfYourJobsIsPending}
        </p>
      ) : (
        <PendingTable
          rows={rows.slice(0, kMaxRows)}
          queues={queues}
          withOwner={seesAll}
        />
      )}
      {rows.length > kMaxRows && (
        <p class="muted small">
          {cluster.firstRows({ max: kMaxRows, count: rows.length })}
        </p>
      )}
    </Panel>
  );
}

function PendingTable(props: {
  rows: readonly QueueRow[];
  queues: readonly Queue[];
  withOwner: boolean;
}) {
  const { rows, queues, withOwner } = props;
  const now = useNow(60_000);
  return (
    <TableBox label={cluster.pendingJobs}>
      <table class="table queue-table">
        <thead>
          <tr>
            <th scope="col">{messages.job}</th>
            {withOwner && <th scope="col">{messages.owner}</th>}
            <th scope="col">{messages.partition}</th>
            <th scope="col">{cluster.position}</th>
            <th scope="col">{cluster.expectedStart}</th>
            <th scope="col">{cluster.reason}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.id}
              data-testid={`place-${row.id}`}
              data-mine={row.isMine}
            >
              <td>
                <a href={jobHref(row.id)}>{row.name}</a>{" "}
                {withOwner && row.isMine && (
                  <span class="tag">{cluster.yours}</span>
                )}
              </td>
              {withOwner && <td>{row.owner}</td>}
              <td>{row.partition}</td>
              <td class="nowrap">{positionLabel(row, queues)}</td>
              <td class="nowrap">{startLabel(row, now)}</td>
              <td>{row.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
