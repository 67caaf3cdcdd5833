// The user's files: opened in a job that runs, or in a small one that is started
// for it.
import { useMemo, useState } from "preact/hooks";
import { type Job, JobState } from "#proto/jobs";
import type { StorageArea } from "#proto/storage";
import { clusterOf } from "../../api/clusters";
import { PageTitle } from "../../routes/page_title";
import { jobHref } from "../../routes/route";
import { useClusterChoice } from "../../session/cluster_context";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { SlurmBanner } from "../dashboard/slurm_banner";
import { StorageBanner } from "../dashboard/storage_banner";
import { StoragePanel } from "../dashboard/storage_panel";
import { useCluster } from "../dashboard/use_cluster";
import { useStorage } from "../dashboard/use_storage";
import { ExtendDialog } from "../jobs/actions/extend_dialog";
import { extendableMinutes } from "../jobs/actions/lifetime_labels";
import { StopDialog } from "../jobs/actions/stop_dialog";
import { FailureLog } from "../jobs/failure_log";
import { kEmptyCatalog } from "../jobs/job_apps";
import { endLabel } from "../jobs/job_labels";
import { keyOf } from "../jobs/job_list_state";
import { useOpenApps } from "../jobs/use_open_app";
import type { JobsView } from "../jobs/use_jobs";
import { FileSessionCard } from "./file_session_card";
import {
  comingSessions,
  failedSession,
  type FileJob,
  fileSessions,
  folderFragment,
  type Offer,
  offerOf,
  openableJobs,
  sessionForm,
} from "./file_sessions";
import { OpenButton } from "./open_button";
import { SessionStart } from "./session_start";
import { useFileSession } from "./use_file_session";
import "../../styles/account.css";
import "./files.css";
import { messages } from "#messages/files";

const kRefusals: Readonly<Record<Exclude<Offer, "offered">, string>> = {
  "image-pending": messages.imageIsBeingBuilt,
  "no-image": messages.noImageOffersFiles,
  "no-app": messages.siteDoesNotOfferFiles,
};

export function FilesPage({ jobs }: { jobs: JobsView }) {
  const { accept, list, message } = jobs;
  const { selected } = useClusterChoice();
  const { cluster, failure } = useCluster(jobs.updates.cluster.epoch);
  const storage = useStorage(list);
  const { opening, open } = useOpenApps();
  const [stopping, setStopping] = useState<string>();
  const [extending, setExtending] = useState<string>();
  const session = useFileSession((job) => {
    accept(job);
    // The button that had the focus is gone.
    requestAnimationFrame(() => document.getElementById(kSessions)?.focus());
  });

  // The catalog shows which jobs have the app, so nothing is shown before it.
  const isLoading = !list.loaded || !(cluster ?? failure);
  const own = isLoading
    ? []
    : list.jobs.filter((job) => clusterOf(job) === selected);
  const catalog = cluster ?? kEmptyCatalog;
  const openable = openableJobs(own, catalog);
  const sessions = fileSessions(own);
  // A session that is stopping does not keep people from another one.
  const isActive = sessions.some(({ state }) => state !== JobState.STOPPING);
  const coming = comingSessions(own, catalog);
  const offer = cluster && offerOf(cluster);
  const failed = isActive ? undefined : failedSession(own);
  const form = useMemo(() => cluster && sessionForm(cluster), [cluster]);
  const mayStart =
    !isLoading &&
    form !== undefined &&
    offer === "offered" &&
    !isActive &&
    cluster?.slurm?.reachable !== false;
  const toStop = sessions.find((job) => keyOf(job) === stopping);
  const toExtend = sessions.find(
    (job) => keyOf(job) === extending && extendableMinutes(job) > 0,
  );
  const show = ({ job, app }: FileJob, path: string) =>
    void open(job, app, folderFragment(path));

  const openArea = (area: StorageArea) => {
    const targets = openable.length > 0 ? openable : coming;
    if (targets.length === 0 && !mayStart) return null;
    return (
      <div class="file-open">
        <OpenButton
          class="button button-small"
          label={messages.openArea({ name: area.name })}
          testId={`open-area-${area.name}`}
          jobs={targets}
          busy={opening !== undefined || session.busy}
          onOpen={(job) => show(job, area.path)}
          {...(mayStart && {
            onStart: () => void session.startAndOpen(form, area.path),
          })}
        >
          {messages.open}
        </OpenButton>
      </div>
    );
  };

  return (
    <div class="area-page">
      <PageTitle text={messages.files} />
      <SlurmBanner health={cluster?.slurm} />
      <StorageBanner areas={storage.areas} />
      <p class="sr-only" role="status">
        {message}
      </p>
      <Panel
        title={messages.openYourFiles}
        about={messages.filesAbout}
        testId="files"
      >
        {isLoading && (
          <div class="loading-shape" aria-hidden="true">
            <div class="skeleton skeleton-line" />
            <div class="skeleton skeleton-field" />
          </div>
        )}
        {!cluster && failure && <FailureNote failure={failure} />}
        {openable.length > 0 && (
          <div class="file-open">
            <OpenButton
              class="button button-primary"
              label={messages.openFiles}
              testId="open-files"
              jobs={openable}
              busy={opening !== undefined}
              onOpen={(job) => show(job, "")}
            >
              {messages.openFiles}
            </OpenButton>
          </div>
        )}
        {sessions.length > 0 && (
          <ul
            class="job-list"
            id={kSessions}
            tabIndex={-1}
            aria-label={messages.fileSessions}
          >
            {sessions.map((job) => (
              <FileSessionCard
                key={keyOf(job)}
                job={job}
                catalog={catalog}
                onStop={() => setStopping(keyOf(job))}
                onChanged={accept}
                onExtend={() => setExtending(keyOf(job))}
              />
            ))}
          </ul>
        )}
        {failed && openable.length === 0 && <FailedSession job={failed} />}
        {!isLoading &&
          cluster &&
          form &&
          openable.length === 0 &&
          !isActive &&
          (offer === "offered" ? (
            <SessionStart
              cluster={cluster}
              form={form}
              jobs={own}
              busy={session.busy}
              onStart={(filled) => void session.start(filled)}
            />
          ) : (
            offer && (
              <p class="note note-calm" data-testid="files-not-offered">
                {kRefusals[offer]}
              </p>
            )
          ))}
      </Panel>
      <StoragePanel view={storage} actionOf={openArea} />
      {toStop && (
        <StopDialog
          job={toStop}
          onStopped={accept}
          close={() => setStopping(undefined)}
        />
      )}
      {toExtend && (
        <ExtendDialog
          job={toExtend}
          onExtended={accept}
          close={() => setExtending(undefined)}
        />
      )}
    </div>
  );
}

const kSessions = "file-sessions";

function FailedSession({ job }: { job: Job }) {
  return (
    <div class="note note-bad" role="status" data-testid="files-failed">
      <Icon name="alert" />
      <div>
        <p>
          {messages.sessionFailed({ outcome: endLabel(job) })}{" "}
          <a href={jobHref(job.id)}>{messages.details}</a>
        </p>
        {job.reason && <p class="sentence">{job.reason}</p>}
        <FailureLog job={job} />
      </div>
    </div>
  );
}
