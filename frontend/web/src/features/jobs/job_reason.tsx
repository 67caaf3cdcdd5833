// Why a job ended, with a link to the job that was submitted in its place.
import type { Job } from "#proto/jobs";
import { jobHref } from "../../routes/route";

export function JobReason({ job }: { job: Job }) {
  const { before, link, after } = reasonParts(job);
  return (
    <>
      {before}
      {link && (
        <a href={jobHref(link)} data-testid="job-resubmitted">
          {link}
        </a>
      )}
      {after}
    </>
  );
}

export interface ReasonParts {
  readonly before: string;
  readonly link: string; // a job's id; empty: no link
  readonly after: string;
}

// Splits the reason at the id of that job, which every translation has.
export function reasonParts({
  reason,
  resubmittedAs,
}: Pick<Job, "reason" | "resubmittedAs">): ReasonParts {
  // The last one: the text before it is from the job itself.
  const at = resubmittedAs ? reason.lastIndexOf(resubmittedAs) : -1;
  if (at < 0) return { before: reason, link: "", after: "" };
  return {
    before: reason.slice(0, at),
    link: resubmittedAs,
    after: reason.slice(at + resubmittedAs.length),
  };
}
