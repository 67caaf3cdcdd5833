// What of a job can be started again.
import { clone } from "@bufbuild/protobuf";
import { type Job, type JobSpec, JobSpecSchema } from "#proto/jobs";
import { arrayOfTasks } from "../jobs/array_labels";

// Jobs for additional nodes or image builds cannot be started from the form.
export function mayStartAgain({ spec }: Job): boolean {
  return spec !== undefined && !spec.linkedTo && !spec.builds;
}

// The same array with only these tasks, as they are: their index is what their
// program knows of them.
export function specOfTasks(job: Job, tasks: readonly number[]): JobSpec {
  const spec = clone(JobSpecSchema, job.spec!);
  if (spec.batch) spec.batch.array = arrayOfTasks(tasks, spec.batch.array);
  return spec;
}
