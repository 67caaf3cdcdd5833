import type { HistoryJob } from "#proto/history";
import type { Project } from "#proto/project";
import { gpuLabel } from "../../jobs/job_labels";
import { Moment } from "../../../ui/moment";
import { endOf, hoursOf, ranFor, toneOf } from "./history_labels";
import { messages } from "../messages";

export function HistoryTable(props: {
  jobs: readonly HistoryJob[];
  projects: readonly Project[];
  withUsers: boolean;
}) {
  const { jobs, projects, withUsers } = props;
  return (
    <div class="table-box">
      <table class="table history-table">
        <thead>
          <tr>
            {withUsers && <th scope="col">{messages.user}</th>}
            <th scope="col">{messages.job}</th>
            <th scope="col">{messages.outcome}</th>
            <th scope="col">{messages.resources}</th>
            <th scope="col">{messages.ended}</th>
            <th scope="col">{messages.duration}</th>
            <th scope="col" class="number">
              {messages.gpuHours}
            </th>
            <th scope="col" class="number">
              {messages.cpuHours}
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Row
              key={job.id}
              job={job}
              project={nameOf(job.spec?.project ?? "", projects)}
              withUser={withUsers}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function nameOf(id: string, projects: readonly Project[]): string {
  return projects.find((each) => each.id === id)?.settings?.name ?? id;
}

function Row(props: { job: HistoryJob; project: string; withUser: boolean }) {
  const { job, project, withUser } = props;
  const { spec } = job;
  return (
    <tr data-testid={`ended-${job.id}`} data-accounted={job.accounted}>
      {withUser && <td>{job.username}</td>}
      <td class="history-job">
        {spec?.name}
        <span class="muted small cell-more">
          <span class="mono">{job.id}</span>
          {job.slurmJobId > 0 && ` · ${messages.slurmJob(job.slurmJobId)}`}
        </span>
        {project && <span class="muted small cell-more">{project}</span>}
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
      <td class="nowrap">{ranFor(job)}</td>
      <td class="number" data-testid="gpu-hours">
        {hoursOf(job.gpuSeconds)}
        <span class="muted small cell-more">
          {job.accounted
            ? messages.fromSlurmAccounting
            : messages.estimatedByCarme}
        </span>
      </td>
      <td class="number">{hoursOf(job.cpuSeconds)}</td>
    </tr>
  );
}
