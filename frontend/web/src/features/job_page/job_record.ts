// A job of the history as a job, so that both have one page.
import { create } from "@bufbuild/protobuf";
import type { HistoryJob } from "#proto/history";
import { type Job, JobSchema, JobState } from "#proto/jobs";

export function jobOfHistory(ended: HistoryJob): Job {
  return create(JobSchema, {
    id: ended.id,
    owner: ended.username,
    ...(ended.spec && { spec: ended.spec }),
    state: JobState.ENDED,
    end: ended.end,
    reason: ended.reason,
    exitCode: ended.exitCode,
    slurmJobId: ended.slurmJobId,
    nodes: ended.nodes,
    account: ended.account,
    ...(ended.createdAt && { createdAt: ended.createdAt }),
    ...(ended.startedAt && { startedAt: ended.startedAt }),
    ...(ended.endedAt && { endsAt: ended.endedAt }),
  });
}
