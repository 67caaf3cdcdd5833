// The logs of a job: its own, of its apps, or of an array's tasks.
import { type Job, JobState } from "#proto/jobs";
import { Tabs } from "../../ui/tabs";
import { tasksOf } from "../jobs/array_labels";
import { type Catalog, startedApps } from "../jobs/job_apps";
import { mayHaveLog } from "../jobs/job_labels";
import { LogPane } from "../jobs/log/log_pane";
import { messages as jobMessages } from "#messages/jobs";
import { TaskGrid } from "./task_grid";
import { messages } from "#messages/job_page";

export function LogTab(props: {
  job: Job;
  catalog: Catalog;
  isMine: boolean;
  app: string; // empty: the job's own log
  task: number | undefined;
  onApp(app: string): void;
  onTask(task: number): void;
}) {
  const { job, catalog, isMine, app, onApp, onTask } = props;
  const [first] = tasksOf(job.spec?.batch?.array ?? "");
  const task = props.task ?? first;
  if (!isMine) return <p class="muted">{messages.logIsPrivate}</p>;
  if (!mayHaveLog(job)) return <p class="muted">{messages.logNotStarted}</p>;
  const pane = (
    <LogPane
      key={`${app} ${task}`}
      {...(task !== undefined && { task })}
      cluster={job.cluster}
      jobId={job.id}
      app={app}
      ended={job.state === JobState.ENDED}
    />
  );
  if (task !== undefined) {
    return (
      <div class="task-logs">
        <TaskGrid job={job} mayRead chosen={task} onTask={onTask} />
        <section aria-label={messages.task({ task })}>
          <h2>{messages.task({ task })}</h2>
          {pane}
        </section>
      </div>
    );
  }
  const apps = startedApps(job, catalog);
  if (apps.length === 0) return pane;
  const tabs = [
    { id: "", label: jobMessages.job },
    ...apps.map(({ id, name }) => ({ id, label: name })),
  ];
  return (
    <Tabs label={jobMessages.logs} tabs={tabs} chosen={app} onChoose={onApp}>
      {pane}
    </Tabs>
  );
}
