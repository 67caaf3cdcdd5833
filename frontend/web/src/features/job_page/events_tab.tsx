import { Code } from "@connectrpc/connect";
import type { Job } from "#proto/jobs";
import { failureOf } from "../../api/failure";
import { metricsClientOf } from "../../api/metrics";
import { notificationClient } from "../../api/notification";
import { formatExactly } from "../../lib/format/moment";
import { useQuery } from "../../session/use_query";
import { TableBox } from "../../ui/table_box";
import { eventRows } from "./event_rows";
import type { LogEvent } from "./startup_log";
import { messages } from "#messages/job_page";

const kNotifications = 100;

export function EventsTab(props: {
  job: Job;
  log: readonly LogEvent[];
  isMine: boolean;
}) {
  const { job, log, isMine } = props;
  const key = `${job.id} ${job.state}`;
  const { value: notifications } = useQuery(
    async () =>
      isMine
        ? (
            await notificationClient.listNotifications({
              pageSize: kNotifications,
            })
          ).notifications
        : [],
    key,
  );
  const { value: nodes } = useQuery(() => nodeEvents(job), key);
  const rows = eventRows({
    job,
    log,
    notifications: notifications ?? [],
    nodes: nodes ?? [],
  });
  if (rows.length === 0) return <p class="muted">{messages.noEvents}</p>;
  return (
    <TableBox label={messages.tabEvents}>
      <table class="table" data-testid="job-events">
        <thead>
          <tr>
            <th scope="col">{messages.time}</th>
            <th scope="col">{messages.event}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ atMs, text, tone }, at) => (
            <tr key={`${atMs} ${at}`} data-tone={tone}>
              <td class="nowrap">
                <time dateTime={new Date(atMs).toISOString()}>
                  {formatExactly(atMs)}
                </time>
              </td>
              <td class="sentence">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

const kAnySeries = "carme_job_oom_kills_total";

// None if the portal has no metrics of jobs.
async function nodeEvents(job: Job) {
  if (!job.startedAt) return [];
  try {
    const response = await metricsClientOf(job.cluster).getJobMetrics({
      jobId: job.id,
      names: [kAnySeries],
    });
    return response.events;
  } catch (error) {
    if (failureOf(error).code === Code.Unauthenticated) throw error;
    return [];
  }
}
