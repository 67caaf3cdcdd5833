// The overview of a job: steps, resources, tasks of an array, usage.
import type { HistoryJob } from "#proto/history";
import { type Job, type JobSpec, JobState } from "#proto/jobs";
import { ReceiptPanel } from "../findings/receipt_panel";
import { hoursOf } from "../insights/history/history_labels";
import { Panel } from "../../ui/panel";
import { TableBox } from "../../ui/table_box";
import { useNow } from "../../ui/use_now";
import { ArrayBar } from "../jobs/array_bar";
import { FailureLog } from "../jobs/failure_log";
import { resourceRows } from "./resource_rows";
import type { LogEvent } from "./startup_log";
import { TaskGrid } from "./task_grid";
import { Timeline } from "../jobs/timeline";
import { timelineOf } from "../jobs/timeline_steps";
import { messages } from "#messages/job_page";

export function OverviewTab(props: {
  job: Job;
  history: HistoryJob | undefined;
  appName: string;
  log: readonly LogEvent[];
  isMine: boolean;
  onTask(task: number): void;
  onStart(spec: JobSpec): void; // fills in the start form
}) {
  const { job, history, appName, log, isMine, onTask, onStart } = props;
  const now = useNow(job.state === JobState.ENDED ? 60_000 : 1000);
  const container = log.find(({ isContainerStart }) => isContainerStart);
  return (
    <div class="job-overview">
      <Panel title={messages.timeline} testId="job-timeline">
        <Timeline steps={timelineOf(job, appName, container?.atMs, now)} />
      </Panel>
      <FailureLog job={job} />
      {job.array && (
        <Panel title={messages.tasks}>
          <ArrayBar array={job.array} />
          <TaskGrid
            job={job}
            mayRead={isMine}
            onTask={onTask}
            onStart={onStart}
          />
        </Panel>
      )}
      <Panel title={messages.resources} testId="job-resources">
        <Resources job={job} history={history} now={now} />
      </Panel>
      {job.startedAt && (
        <ReceiptPanel
          jobId={job.id}
          cluster={job.cluster}
          state={String(job.state)}
          isRunning={job.state < JobState.STOPPING}
          spec={job.spec}
          isMine={isMine}
          onStart={onStart}
        />
      )}
    </div>
  );
}

function Resources(props: {
  job: Job;
  history: HistoryJob | undefined;
  now: number;
}) {
  const { job, history, now } = props;
  return (
    <>
      <TableBox label={messages.resources}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{messages.resource}</th>
              <th scope="col">{messages.requested}</th>
              <th scope="col">{messages.actual}</th>
            </tr>
          </thead>
          <tbody>
            {resourceRows(job, history, now).map((row) => (
              <tr key={row.label}>
                <th scope="row">{row.label}</th>
                <td>{row.requested}</td>
                <td>{row.actual}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {history && (
        <p class="muted small" data-testid="job-usage">
          {messages.gpuTime}:{" "}
          {messages.hours({ hours: hoursOf(history.gpuSeconds) })} ·{" "}
          {messages.cpuTime}:{" "}
          {messages.hours({ hours: hoursOf(history.cpuSeconds) })}.{" "}
          {history.accounted
            ? messages.usageAccounted
            : messages.usageEstimated}
        </p>
      )}
    </>
  );
}
