// The heads of the columns of jobs: letter, name, and where to find it.
import { jobHref } from "../../routes/route";
import type { ComparedJob } from "./compared_job";

export function JobHeads({ jobs }: { jobs: readonly ComparedJob[] }) {
  return (
    <>
      {jobs.map(({ letter, job }, at) => (
        <th key={job.id} scope="col" class="comparison-job">
          <span class={`plot-swatch plot-color-${at}`} /> {letter}
          <a
            class="cell-more"
            href={jobHref(job.id, queryOf(job.spec?.project))}
          >
            {job.spec?.name || job.id}
          </a>
          <span class="muted small mono cell-more">{job.id}</span>
          {job.owner && <span class="muted small cell-more">{job.owner}</span>}
        </th>
      ))}
    </>
  );
}

// The page finds a job of another member in the history of the project.
function queryOf(project: string | undefined): string {
  return project ? new URLSearchParams({ project }).toString() : "";
}
