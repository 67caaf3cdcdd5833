// The user's jobs: the live ones as cards, the ended ones as lines.
import { useState } from "preact/hooks";
import { LogDialog } from "../log/log_dialog";
import { EndedJobs } from "./ended_jobs";
import type { Catalogue } from "./job_apps";
import { JobCard } from "./job_card";
import { isLive } from "./job_list_state";
import { LinkState } from "./link_state";
import { NoJobs } from "./no_jobs";
import { StopDialog } from "./stop_dialog";
import type { JobsView } from "./use_jobs";

export function JobPanel(props: { view: JobsView; catalogue: Catalogue }) {
  const { catalogue } = props;
  const { list, link, news, accept } = props.view;
  const [stopping, setStopping] = useState<string>();
  const [reading, setReading] = useState<Reading>();
  const live = list.jobs.filter(isLive);
  const ended = list.jobs.filter((job) => !isLive(job));
  const toStop = live.find(({ id }) => id === stopping);
  const toRead = list.jobs.find(({ id }) => id === reading?.jobId);

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
              catalogue={catalogue}
              onLog={(app) => setReading({ jobId: job.id, app })}
              onStop={() => setStopping(job.id)}
            />
          ))}
        </ul>
      )}
      <EndedJobs
        jobs={ended}
        onLog={(job) => setReading({ jobId: job.id, app: "" })}
      />
      {toStop && (
        <StopDialog
          job={toStop}
          onStopped={accept}
          close={() => setStopping(undefined)}
        />
      )}
      {toRead && reading && (
        <LogDialog
          job={toRead}
          app={reading.app}
          catalogue={catalogue}
          close={() => setReading(undefined)}
        />
      )}
    </section>
  );
}

interface Reading {
  readonly jobId: string;
  readonly app: string; // whose log is seen first; empty: the job's own
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
