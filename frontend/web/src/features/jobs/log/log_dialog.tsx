// The logs of a job and its apps.
import { useState } from "preact/hooks";
import { type Job, JobState } from "#proto/jobs";
import { tasksOf } from "../array_labels";
import { type Catalog, startedApps } from "../job_apps";
import { Dialog } from "../../../ui/dialog";
import { type Tab, Tabs } from "../../../ui/tabs";
import { LogPane } from "./log_pane";
import { TaskChoice } from "./task_choice";
import { messages } from "#messages/jobs";

export function LogDialog(props: {
  job: Job;
  app: string; // the log to open first; empty: the job's log
  catalog: Catalog;
  close(): void;
}) {
  const { job, catalog, close } = props;
  const [app, setApp] = useState(props.app);
  const [first] = tasksOf(job.spec?.batch?.array ?? "");
  const [task, setTask] = useState(first);
  const tabs: Tab[] = [
    { id: "", label: messages.job },
    ...startedApps(job, catalog).map(({ id, name }) => ({ id, label: name })),
  ];
  return (
    <Dialog
      title={messages.logOf({ name: job.spec?.name ?? job.id })}
      wide
      close={close}
    >
      <Tabs label={messages.logs} tabs={tabs} chosen={app} onChoose={setApp}>
        {task !== undefined && (
          <TaskChoice job={job} task={task} onTask={setTask} />
        )}
        <LogPane
          key={`${app} ${task}`}
          {...(task !== undefined && { task })}
          cluster={job.cluster}
          jobId={job.id}
          app={app}
          ended={job.state === JobState.ENDED}
        />
      </Tabs>
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {messages.close}
        </button>
      </div>
    </Dialog>
  );
}
