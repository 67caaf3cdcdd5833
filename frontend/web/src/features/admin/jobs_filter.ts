// The filter of the jobs of all users.
import { JobState } from "#proto/jobs";

export interface JobsFilter {
  readonly search: string; // a part of the name or the id
  readonly owner: string;
  readonly partition: string;
  readonly project: string; // its id
  readonly state: string; // a key of kStateChoices; empty: any
}

export const kAllJobs: JobsFilter = {
  search: "",
  owner: "",
  partition: "",
  project: "",
  state: "",
};

export const kStateChoices: Readonly<Record<string, readonly JobState[]>> = {
  pending: [JobState.SUBMITTING, JobState.PENDING],
  running: [JobState.STARTING, JobState.READY],
  stopping: [JobState.STOPPING],
};

export function jobFilterOf(filter: JobsFilter) {
  return {
    search: filter.search.trim(),
    owner: filter.owner.trim(),
    partition: filter.partition.trim(),
    project: filter.project.trim(),
    states: [...(kStateChoices[filter.state] ?? [])],
  };
}
