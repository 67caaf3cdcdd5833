// The page of one job: running, pending or ended.
import { useMemo, useState } from "preact/hooks";
import { type Job, JobState, type JobSpec } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { clusterOf } from "../../api/clusters";
import { msOf } from "../../lib/format/moment";
import { lazy } from "../../routes/lazy";
import { PageTitle } from "../../routes/page_title";
import { hrefOf, jobHref } from "../../routes/route";
import { useClusterChoice } from "../../session/cluster_context";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { Tabs } from "../../ui/tabs";
import { ExtendDialog } from "../jobs/actions/extend_dialog";
import { extendableMinutes } from "../jobs/actions/lifetime_labels";
import { StopDialog } from "../jobs/actions/stop_dialog";
import { isBatch } from "../jobs/array_labels";
import { kEmptyCatalog, mainApp } from "../jobs/job_apps";
import type { JobsView } from "../jobs/use_jobs";
import { isLive } from "../jobs/job_list_state";
import { endLabel } from "../jobs/job_labels";
import type { Mark } from "../metrics/series/marks";
import type { MeasuredJob } from "../metrics/use_job_metrics";
import { ConfigurationTab } from "./configuration_tab";
import { EventsTab } from "./events_tab";
import { JobHead } from "./job_head";
import { LogTab } from "./log_tab";
import { OverviewTab } from "./overview_tab";
import { useJob } from "./use_job";
import { useStartupLog } from "./use_startup_log";
import "../../styles/account.css";
import "../../styles/admin.css";
import "./job_page.css";
import { messages } from "#messages/job_page";

const MetricsTab = lazy(async () => {
  return (await import("../metrics/metrics_tab")).MetricsTab;
});

const kTabs = [
  { id: "overview", label: messages.tabOverview },
  { id: "metrics", label: messages.tabMetrics },
  { id: "log", label: messages.tabLog },
  { id: "events", label: messages.tabEvents },
  { id: "configuration", label: messages.tabConfiguration },
] as const;

type TabId = (typeof kTabs)[number]["id"];

export function JobPage(props: {
  id: string;
  jobs: JobsView; // of the user
  query: string; // "tab=log&task=3"; project: whose history has the job
  onStartAgain(spec: JobSpec): void; // fills in the start form
}) {
  const { id, jobs, query, onStartAgain } = props;
  const params = new URLSearchParams(query);
  const { job, history, isMissing, failure } = useJob(
    id,
    params.get("project") ?? "",
    jobs,
  );
  if (job) {
    return (
      <LoadedJob
        job={job}
        history={history}
        params={params}
        onChanged={jobs.accept}
        onStartAgain={onStartAgain}
      />
    );
  }
  if (isMissing) {
    return (
      <div class="empty" data-testid="job-missing">
        <PageTitle text={messages.jobNotFound} />
        <p class="muted">{messages.missingAbout}</p>
        <a class="button" href={hrefOf("dashboard")}>
          {messages.backToJobs}
        </a>
      </div>
    );
  }
  return failure ? (
    <FailureNote failure={failure} />
  ) : (
    <div class="boot" role="status" />
  );
}

function LoadedJob(props: {
  job: Job;
  history: ReturnType<typeof useJob>["history"];
  params: URLSearchParams;
  onChanged(job: Job): void;
  onStartAgain(spec: JobSpec): void;
}) {
  const { job, history, params, onChanged, onStartAgain } = props;
  const { session } = useSession();
  const { selected, select } = useClusterChoice();
  const [dialog, setDialog] = useState<"stop" | "extend">();
  const isMine = job.owner === "" || job.owner === session.username;
  const { value: cluster } = useQuery(
    () => clientsOf(job.cluster).cluster.getCluster({}),
    job.cluster,
  );
  const catalog = cluster ?? kEmptyCatalog;
  const log = useStartupLog(job, isMine);
  const measured = useMeasuredJob(job);
  const marks = useMemo(() => marksOfJob(job), [job]);
  const tab =
    kTabs.find((each) => each.id === params.get("tab"))?.id ?? "overview";
  const task = params.get("task");
  const name = job.spec?.name ?? job.id;
  const appName = mainApp(job, catalog).name;

  const show = (next: TabId, more: Record<string, string> = {}) => {
    const wanted = new URLSearchParams(params);
    wanted.delete("task");
    wanted.delete("app");
    wanted.set("tab", next);
    for (const [key, value] of Object.entries(more)) wanted.set(key, value);
    location.replace(jobHref(job.id, wanted.toString()));
  };
  const start = (spec: JobSpec | undefined) => {
    if (!spec) return;
    const own = clusterOf(job);
    if (own !== selected) select(own, spec);
    else onStartAgain(spec);
    location.hash = hrefOf("dashboard");
  };
  const startAgain = () => start(job.spec);

  return (
    <div class="job-page" data-testid="job-page">
      <a class="back-link" href={hrefOf("dashboard")}>
        <Icon name="back" /> {messages.backToJobs}
      </a>
      <PageTitle text={name} />
      <JobHead
        job={job}
        catalog={catalog}
        isMine={isMine}
        onChanged={onChanged}
        onStop={() => setDialog("stop")}
        onExtend={() => setDialog("extend")}
        onLog={(app) => show("log", app ? { app } : {})}
        onStartAgain={startAgain}
      />
      <Tabs
        label={messages.tabs}
        tabs={kTabs}
        chosen={tab}
        onChoose={(next) => show(next as TabId)}
      >
        <div class="job-tab">
          {tab === "overview" && (
            <OverviewTab
              job={job}
              history={history}
              appName={appName}
              log={log}
              isMine={isMine}
              onTask={(chosen) => show("log", { task: String(chosen) })}
              onStart={start}
            />
          )}
          {tab === "metrics" && <MetricsTab job={measured} marks={marks} />}
          {tab === "log" && (
            <LogTab
              job={job}
              catalog={catalog}
              isMine={isMine}
              app={params.get("app") ?? ""}
              task={task === null ? undefined : Number(task)}
              onApp={(app) => show("log", app ? { app } : {})}
              onTask={(chosen) => show("log", { task: String(chosen) })}
            />
          )}
          {tab === "events" && (
            <EventsTab job={job} log={log} isMine={isMine} />
          )}
          {tab === "configuration" && (
            <ConfigurationTab
              job={job}
              appName={appName}
              onStartAgain={startAgain}
            />
          )}
        </div>
      </Tabs>
      {dialog === "stop" && isLive(job) && (
        <StopDialog
          job={job}
          onStopped={onChanged}
          close={() => setDialog(undefined)}
        />
      )}
      {dialog === "extend" && extendableMinutes(job) > 0 && (
        <ExtendDialog
          job={job}
          onExtended={onChanged}
          close={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}

// The same object while nothing of it changes: plots depend on it.
function useMeasuredJob(job: Job): MeasuredJob {
  const { id, cluster, spec } = job;
  const startedMs = msOf(job.startedAt);
  const endedMs = job.state === JobState.ENDED ? msOf(job.endsAt) : undefined;
  const name = spec?.name ?? id;
  const cpusPerNode = spec?.cpusPerNode ?? 0;
  const gpus = (spec?.nodes ?? 0) * (spec?.gpusPerNode ?? 0);
  return useMemo(
    () => ({ id, cluster, name, startedMs, endedMs, cpusPerNode, gpus }),
    [id, cluster, name, startedMs, endedMs, cpusPerNode, gpus],
  );
}

function marksOfJob(job: Job): Mark[] {
  const marks = [
    [msOf(job.startedAt), messages.stepAllocated],
    [msOf(job.readyAt), isBatch(job) ? messages.stepRunning : messages.ready],
    [
      job.state === JobState.ENDED ? msOf(job.endsAt) : undefined,
      endLabel(job),
    ],
  ] as const;
  return marks.flatMap(([atMs, text]) =>
    atMs === undefined ? [] : [{ atMs, text }],
  );
}
