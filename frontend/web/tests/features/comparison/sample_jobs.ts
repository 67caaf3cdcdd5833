// Jobs of a comparison, with only what a test speaks about.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { JobReceiptSchema } from "#proto/findings";
import { JobEnd, JobSchema, JobState } from "#proto/jobs";
import type { GetJobMetricsResponse } from "#proto/metrics";
import {
  type ComparedJob,
  letterOf,
} from "../../../src/features/comparison/compared_job";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import { kFromMs } from "../metrics/sample_metrics";

interface Sample {
  readonly ranS?: number; // absent: it has not started
  readonly queuedS?: number;
  readonly job?: MessageInitShape<typeof JobSchema>;
  readonly receipt?: MessageInitShape<typeof JobReceiptSchema>;
  readonly metrics?: GetJobMetricsResponse;
}

// Started at kFromMs.
export function compared(...samples: Sample[]): ComparedJob[] {
  return samples.map(({ ranS, queuedS = 0, job, receipt, metrics }, at) => ({
    letter: letterOf(at),
    job: create(JobSchema, {
      id: `job${at}`,
      ...(ranS === undefined
        ? { state: JobState.PENDING }
        : {
            state: JobState.ENDED,
            end: JobEnd.COMPLETED,
            createdAt: timestampFromMs(kFromMs - queuedS * 1000),
            startedAt: timestampFromMs(kFromMs),
            endsAt: timestampFromMs(kFromMs + ranS * 1000),
          }),
      ...job,
    }),
    history: undefined,
    receipt: receipt && create(JobReceiptSchema, receipt),
    noReceipt: receipt ? "" : "no samples",
    grid: metrics && gridOf(metrics),
    noGrid: metrics ? "" : "no samples",
  }));
}
