// The user's jobs: active jobs as cards, ended jobs as rows.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import { type Job, JobState } from "#proto/jobs";
import { AddNodesDialog } from "./additional_nodes/add_nodes_dialog";
import { LinkedJobRows } from "./additional_nodes/linked_job_rows";
import {
  cardJobs,
  linkedJobsOf,
  isLinkedJob,
} from "./additional_nodes/linked_jobs";
import { ExtendDialog } from "./actions/extend_dialog";
import { extendableMinutes } from "./actions/lifetime_labels";
import { LogDialog } from "./log/log_dialog";
import { isBatch } from "./array_labels";
import { EndedJobs } from "./ended_jobs";
import { kEmptyCatalog } from "./job_apps";
import { JobCard } from "./job_card";
import { isLive, keyOf } from "./job_list_state";
import { ConnectionStatus } from "./connection_state";
import { NoJobs } from "./no_jobs";
import { StopDialog } from "./actions/stop_dialog";
import { useJobClusters } from "./use_job_clusters";
import type { JobsView } from "./use_jobs";
import { messages } from "#messages/jobs";

export function JobPanel(props: {
  view: JobsView;
  cluster: GetClusterResponse | undefined;
  guide: ComponentChildren; // to the first job; undefined: none
  onAgain(job: Job): void; // starts the same job again
}) {
  const { cluster, guide, onAgain } = props;
  const { list, link, message, away, accept } = props.view;
  const clusterOfJob = useJobClusters(list.jobs, cluster);
  const catalogOf = (job: Job) => clusterOfJob(job) ?? kEmptyCatalog;
  const [addingTo, setAddingTo] = useState<string>();
  const [stopping, setStopping] = useState<string>();
  const [extending, setExtending] = useState<string>();
  const [reading, setReading] = useState<Reading>();
  const live = list.jobs.filter(isLive);
  const cards = cardJobs(list.jobs);
  const toAdd = cards.find((job) => keyOf(job) === addingTo && mayAdd(job));
  const clusterToAdd = toAdd && clusterOfJob(toAdd);
  const ended = list.jobs.filter((job) => !isLive(job));
  const toStop = live.find((job) => keyOf(job) === stopping);
  const toExtend = live.find(
    (job) => keyOf(job) === extending && extendableMinutes(job) > 0,
  );
  const toRead = list.jobs.find((job) => keyOf(job) === reading?.job);

  return (
    <section class="jobs" aria-labelledby="jobs-title">
      <header class="section-head">
        <h2 id="jobs-title">{messages.yourJobs}</h2>
        <ConnectionStatus link={link} />
        <a class="button button-small to-start" href="#start">
          {messages.startJob}
        </a>
      </header>
      <p class="sr-only" role="status">
        {message}
      </p>
      {away.length > 0 && (
        <p
          class="clusters-away muted"
          role="status"
          data-testid="clusters-away"
        >
          {messages.clustersAway({
            count: away.length,
            names: away.join(", "),
          })}
        </p>
      )}
      {!list.loaded && <JobSkeleton />}
      {guide}
      {list.loaded && live.length === 0 && !guide && <NoJobs />}
      {live.length > 0 && (
        <ul class="job-list" aria-label={messages.activeJobs}>
          {cards.map((job) => (
            <JobCard
              key={keyOf(job)}
              job={job}
              catalog={catalogOf(job)}
              linkedJobs={
                <LinkedJobRows
                  job={job}
                  linkedJobs={linkedJobsOf(list.jobs, job)}
                  withGpus={clusterOfJob(job)?.gpuTypes.some(hasAny) ?? true}
                  {...(mayAdd(job) && { onAdd: () => setAddingTo(keyOf(job)) })}
                  onRelease={(linked) => setStopping(keyOf(linked))}
                />
              }
              onLog={(app) => setReading({ job: keyOf(job), app })}
              onStop={() => setStopping(keyOf(job))}
              onChanged={accept}
              onExtend={() => setExtending(keyOf(job))}
            />
          ))}
        </ul>
      )}
      <EndedJobs
        jobs={ended}
        onLog={(job) => setReading({ job: keyOf(job), app: "" })}
        onAgain={onAgain}
      />
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
      {toAdd && clusterToAdd && (
        <AddNodesDialog
          job={toAdd}
          cluster={clusterToAdd}
          epoch={linkedJobsOf(list.jobs, toAdd)
            .map(({ id, state }) => `${id}${state}`)
            .join()}
          onStarted={accept}
          close={() => setAddingTo(undefined)}
        />
      )}
      {toRead && reading && (
        <LogDialog
          job={toRead}
          app={reading.app}
          catalog={catalogOf(toRead)}
          close={() => setReading(undefined)}
        />
      )}
    </section>
  );
}

function mayAdd(job: Job): boolean {
  return job.state === JobState.READY && !isLinkedJob(job) && !isBatch(job);
}

const hasAny = ({ total }: { total: number }) => total > 0;

interface Reading {
  readonly job: string; // its key
  readonly app: string; // the log to open first; empty: the job's log
}

function JobSkeleton() {
  return (
    <div class="job-card job-skeleton" aria-hidden="true">
      <div class="skeleton skeleton-title" />
      <div class="skeleton skeleton-line" />
      <div class="skeleton skeleton-bar" />
    </div>
  );
}
