// The user's jobs: the live ones as cards, the ended ones as lines.
import { useState } from "preact/hooks";
import type { App } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { EndedJobs } from "./ended_jobs";
import { JobCard } from "./job_card";
import { isLive } from "./job_list_state";
import { LinkState } from "./link_state";
import { NoJobs } from "./no_jobs";
import { StopDialog } from "./stop_dialog";
import type { JobsView } from "./use_jobs";

export function JobPanel(props: { view: JobsView; apps: readonly App[] }) {
  const { list, link, news, accept } = props.view;
  const [stopping, setStopping] = useState<string>();
  const live = list.jobs.filter(isLive);
  const ended = list.jobs.filter((job) => !isLive(job));
  const toStop = live.find(({ id }) => id === stopping);

  return (
    <section class="jobs" aria-labelledby="jobs-title">
      <header class="section-head">
        <h2 id="jobs-title">Your jobs</h2>
        <LinkState link={link} />
        <a class="button button-small to-start" href="#start">
          Start a job
        </a>
      </header>
      <p class="sr-only" role="status">
        {news}
      </p>
      {!list.loaded && <JobSkeleton />}
      {list.loaded && live.length === 0 && <NoJobs />}
      {live.length > 0 && (
        <ul class="job-list" aria-label="Live jobs">
          {live.map((job) => (
            <JobCard
              key={job.id}
              job={job}
              appName={nameOf(job, props.apps)}
              onStop={() => setStopping(job.id)}
            />
          ))}
        </ul>
      )}
      <EndedJobs jobs={ended} />
      {toStop && (
        <StopDialog
          job={toStop}
          onStopped={accept}
          close={() => setStopping(undefined)}
        />
      )}
    </section>
  );
}

function nameOf(job: Job, apps: readonly App[]): string {
  const id = job.spec?.app ?? "";
  return apps.find((app) => app.id === id)?.name ?? id;
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
