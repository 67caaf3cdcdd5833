// What a job requested beside what it got.
import type { HistoryJob } from "#proto/history";
import { type Job, JobState } from "#proto/jobs";
import { formatMinutes, formatRunTime } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { msOf } from "../../lib/format/moment";
import { gpuLabel } from "../jobs/job_labels";
import { messages } from "#messages/job_page";

export interface ResourceRow {
  readonly label: string;
  readonly requested: string;
  readonly actual: string; // empty: not known
}

export function resourceRows(
  job: Job,
  history: HistoryJob | undefined,
  now: number,
): ResourceRow[] {
  const { spec, nodes } = job;
  if (!spec) return [];
  const row = (label: string, requested: string, actual = "") => ({
    label,
    requested,
    actual,
  });
  const one = { ...spec, nodes: 1 };
  // Slurm allocates the type that was requested.
  const requestedType = nodes.length > 0 ? spec.gpuType : "";
  const gpuType = history?.gpuType || requestedType;
  return [
    row(messages.nodes, String(spec.nodes), nodes.join(", ")),
    row(
      messages.gpusPerNode,
      gpuLabel(one),
      spec.gpusPerNode > 0 && gpuType ? gpuLabel({ ...one, gpuType }) : "",
    ),
    spec.cpusPerNode > 0 && row(messages.cpusPerNode, String(spec.cpusPerNode)),
    spec.memoryPerNodeMib > 0n &&
      row(messages.memoryPerNode, formatMib(Number(spec.memoryPerNodeMib))),
    row(
      messages.walltime,
      formatMinutes(Math.round(Number(spec.walltime?.seconds ?? 0n) / 60)),
      ranFor(job, now),
    ),
  ].filter((each): each is ResourceRow => each !== false);
}

// Empty: it never started.
function ranFor(job: Job, now: number): string {
  const start = msOf(job.startedAt);
  if (start === undefined) return "";
  const end = job.state === JobState.ENDED ? (msOf(job.endsAt) ?? now) : now;
  return formatRunTime(end - start);
}
