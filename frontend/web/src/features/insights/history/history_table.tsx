// The ended jobs, sorted by a column.
import { useState } from "preact/hooks";
import type { HistoryJob } from "#proto/history";
import type { Project } from "#proto/project";
import {
  CompareBar,
  CompareBox,
  CompareHead,
} from "../../comparison/compare_choice";
import { toggled } from "../../comparison/comparison_link";
import { gpuLabel } from "../../jobs/job_labels";
import { nameOf } from "../../projects/project_name";
import { jobHref } from "../../../routes/route";
import { formatRunTime } from "../../../lib/format/duration";
import { Moment } from "../../../ui/moment";
import { linkOf } from "../../start/form/form_link";
import { specToForm } from "../../start/form/spec_to_form";
import { endOf, hoursOf, ranFor, toneOf } from "./history_labels";
import {
  kNewestFirst,
  nextOrder,
  type SortColumn,
  sortedJobs,
  waitedMs,
} from "./history_sort";
import { messages } from "#messages/insights";

export function HistoryTable(props: {
  jobs: readonly HistoryJob[];
  projects: readonly Project[];
  withUsers: boolean;
  isPart: boolean; // there are earlier jobs, which are not loaded
}) {
  const { jobs, projects, withUsers, isPart } = props;
  const [order, setOrder] = useState(kNewestFirst);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const head = (column: SortColumn, label: string, number = false) => (
    <th
      scope="col"
      class={number ? "number" : undefined}
      aria-sort={
        order.column !== column
          ? undefined
          : order.descending
            ? "descending"
            : "ascending"
      }
    >
      <button
        class="sort-button"
        type="button"
        data-testid={`sort-${column}`}
        onClick={() => setOrder(nextOrder(order, column))}
      >
        {label}
      </button>
    </th>
  );
  return (
    <div>
      <CompareBar
        jobs={jobs.filter(({ id }) => chosen.has(id))}
        onClear={() => setChosen(new Set())}
      />
      <div class="table-box">
        <table class="table history-table">
          <thead>
            <tr>
              <CompareHead />
              {withUsers && <th scope="col">{messages.user}</th>}
              {head("name", messages.job)}
              <th scope="col">{messages.outcome}</th>
              <th scope="col">{messages.resources}</th>
              {head("ended", messages.ended)}
              {head("waited", messages.waited)}
              {head("ran", messages.duration)}
              {head("gpu", messages.gpuHours, true)}
              {head("cpu", messages.cpuHours, true)}
            </tr>
          </thead>
          <tbody>
            {sortedJobs(jobs, order).map((job) => (
              <Row
                key={job.id}
                job={job}
                project={nameOf(job.spec?.project ?? "", projects)}
                withUser={withUsers}
                isChosen={chosen.has(job.id)}
                onChoose={() => setChosen(toggled(chosen, job.id))}
              />
            ))}
          </tbody>
        </table>
        {isPart && order !== kNewestFirst && (
          <p class="muted small table-note" role="status">
            {messages.sortedAmongLoaded({ count: jobs.length })}
          </p>
        )}
      </div>
    </div>
  );
}

function Row(props: {
  job: HistoryJob;
  project: string;
  withUser: boolean;
  isChosen: boolean; // for a comparison
  onChoose(): void;
}) {
  const { job, project, withUser, isChosen, onChoose } = props;
  const { spec } = job;
  // The page finds a job of another member in the history of the project.
  const query = spec?.project
    ? new URLSearchParams({ project: spec.project }).toString()
    : "";
  const waited = waitedMs(job);
  return (
    <tr data-testid={`ended-${job.id}`} data-accounted={job.accounted}>
      <CompareBox
        name={spec?.name || job.id}
        isChosen={isChosen}
        onChoose={onChoose}
      />
      {withUser && <td>{job.username}</td>}
      <td class="history-job">
        <a href={jobHref(job.id, query)} data-testid="job-link">
          {spec?.name || job.id}
        </a>
        <span class="muted small cell-more">
          <span class="mono">{job.id}</span>
          {job.slurmJobId > 0 &&
            ` · ${messages.slurmJob({ id: job.slurmJobId })}`}
        </span>
        {project && <span class="muted small cell-more">{project}</span>}
        {spec && !spec.batch && !spec.builds && !spec.linkedTo && (
          <a class="small cell-more" href={linkOf(specToForm(spec), "")}>
            {messages.startAgain} <span class="sr-only">{spec.name}</span>
          </a>
        )}
      </td>
      <td class="history-end">
        <span class="state" data-tone={toneOf(job)}>
          {endOf(job)}
        </span>
        {job.reason && <span class="muted small cell-more">{job.reason}</span>}
      </td>
      <td>
        {spec && gpuLabel({ ...spec, gpuType: spec.gpuType || job.gpuType })}
        <span class="muted small cell-more">
          {[job.nodes.slice(0, 4).join(" "), spec?.partition]
            .filter(Boolean)
            .join(" · ")}
          {job.nodes.length > 4 && " …"}
        </span>
      </td>
      <td>
        <Moment at={job.endedAt} />
      </td>
      <td class="nowrap">
        {waited === undefined ? "–" : formatRunTime(waited)}
      </td>
      <td class="nowrap">{ranFor(job)}</td>
      <td
        class="number"
        data-testid="gpu-hours"
        title={
          job.accounted
            ? messages.fromSlurmAccounting
            : messages.estimatedByCarme
        }
      >
        {hoursOf(job.gpuSeconds)}
      </td>
      <td class="number">{hoursOf(job.cpuSeconds)}</td>
    </tr>
  );
}
