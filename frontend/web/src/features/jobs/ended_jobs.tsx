// The most recent ended jobs.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { formatRunTime } from "../../lib/format/duration";
import { formatMoment, msOf } from "../../lib/format/moment";
import { jobHref } from "../../routes/route";
import { FailureLog } from "./failure_log";
import { JobReason } from "./job_reason";
import { useNow } from "../../ui/use_now";
import { arrayLabel } from "./array_labels";
import {
  copyLabel,
  endLabel,
  gpuLabel,
  mayHaveLog,
  stateLabel,
} from "./job_labels";
import { keyOf } from "./job_list_state";
import { messages } from "#messages/jobs";

const kFirst = 5;

export function EndedJobs(props: {
  jobs: readonly Job[];
  onLog(job: Job): void;
  onAgain(job: Job): void;
}) {
  const { jobs, onLog, onAgain } = props;
  const [all, setAll] = useState(false);
  if (jobs.length === 0) return null;
  return (
    <section class="ended" aria-labelledby="ended-title">
      <h3 id="ended-title">{messages.ended}</h3>
      <ul>
        {jobs.slice(0, all ? jobs.length : kFirst).map((job) => (
          <EndedJob
            key={keyOf(job)}
            job={job}
            onLog={() => onLog(job)}
            onAgain={() => onAgain(job)}
          />
        ))}
      </ul>
      {!all && jobs.length > kFirst && (
        <button class="link-button" type="button" onClick={() => setAll(true)}>
          {messages.showAll({ count: jobs.length })}
        </button>
      )}
    </section>
  );
}

function EndedJob(props: { job: Job; onLog(): void; onAgain(): void }) {
  const { job, onLog, onAgain } = props;
  const now = useNow(60_000);
  const state = stateLabel(job);
  const end = msOf(job.endsAt);
  const copied = copyLabel(job);
  return (
    <li
      class="ended-job"
      data-testid={`job-${job.id}`}
      data-state={state.key}
      data-tone={state.tone}
    >
      <div class="ended-what">
        <a class="ended-name" href={jobHref(job.id)} data-testid="job-link">
          {job.spec?.name}
        </a>
        {clusterOf(job) && <span class="muted">{clusterOf(job)}</span>}
        <span class="muted">{job.spec && gpuLabel(job.spec)}</span>
      </div>
      <div class="ended-how">
        <span class="state" data-tone={state.tone}>
          {endLabel(job)}
        </span>
        {job.startedAt && <span class="muted">{ran(job)}</span>}
        {end !== undefined && (
          <time class="muted" dateTime={new Date(end).toISOString()}>
            {formatMoment(end, now)}
          </time>
        )}
        {mayHaveLog(job) && (
          <button
            class="link-button"
            type="button"
            data-testid="job-log"
            onClick={onLog}
          >
            {messages.log}{" "}
            <span class="sr-only">
              {messages.ofName({ name: job.spec?.name ?? "" })}
            </span>
          </button>
        )}
        {mayStartAgain(job) && (
          <button
            class="link-button"
            type="button"
            data-testid="job-again"
            onClick={onAgain}
          >
            {messages.startAgain} <span class="sr-only">{job.spec?.name}</span>
          </button>
        )}
      </div>
      {job.array && (
        <p class="ended-reason" data-testid="job-array">
          {arrayLabel(job.array)}
        </p>
      )}
      {job.reason && (
        <p class="ended-reason sentence">
          <JobReason job={job} />
        </p>
      )}
      <FailureLog job={job} />
      {copied && (
        <p class="ended-reason sentence" data-testid="job-copied">
          {copied}
        </p>
      )}
    </li>
  );
}

function ran(job: Job): string {
  const start = msOf(job.startedAt);
  const end = msOf(job.endsAt);
  if (start === undefined || end === undefined) return "";
  return messages.ranFor({ duration: formatRunTime(end - start) });
}

// Jobs for additional nodes or image builds cannot be started from the form.
function mayStartAgain({ spec }: Job): boolean {
  return spec !== undefined && !spec.linkedTo && !spec.builds;
}
