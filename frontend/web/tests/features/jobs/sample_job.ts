// Jobs for tests, with only what a test speaks about.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Job,
  JobSchema,
  JobState,
  type WatchJobsResponse,
  WatchJobsResponseSchema,
} from "#proto/jobs";

export const kNow = Date.UTC(2026, 10, 21, 12);
export const kMinute = 60_000;

export function sampleJob(
  id: string,
  state: JobState,
  more: Partial<Omit<Job, "$typeName">> = {},
): Job {
  const job = create(JobSchema, {
    id,
    state,
    spec: { name: id, nodes: 1 },
    createdAt: timestampFromMs(kNow),
  });
  return Object.assign(job, more);
}

export function snapshot(...jobs: Job[]): WatchJobsResponse {
  return create(WatchJobsResponseSchema, { snapshot: true, jobs });
}

export function change(...jobs: Job[]): WatchJobsResponse {
  return create(WatchJobsResponseSchema, { jobs });
}
