import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { HistoryJobSchema } from "#proto/history";
import { JobSpecSchema, JobState } from "#proto/jobs";
import { jobOfHistory } from "../../../src/features/job_page/job_record";
import { resourceRows } from "../../../src/features/job_page/resource_rows";
import { kNow, sampleJob } from "../jobs/sample_job";

const kSpec = create(JobSpecSchema, {
  nodes: 1,
  gpusPerNode: 2,
  cpusPerNode: 8,
  memoryPerNodeMib: 65536n,
  walltime: { seconds: 3600n },
});

it("a pending job got nothing", () => {
  const job = sampleJob("a", JobState.PENDING, { spec: kSpec });
  const rows = resourceRows(job, undefined, kNow);
  expect(rows.map(({ actual }) => actual).join("")).toBe("");
});

it("an ended job has its nodes, its GPUs and its time to the second", () => {
  const history = create(HistoryJobSchema, {
    id: "a",
    spec: kSpec,
    nodes: ["n1"],
    gpuType: "h200",
    startedAt: timestampFromMs(kNow),
    endedAt: timestampFromMs(kNow + 12_000),
  });
  const rows = resourceRows(jobOfHistory(history), history, kNow + 1e9);
  expect(rows.map((row) => [row.requested, row.actual])).toEqual([
    ["1", "n1"],
    ["2 × any GPU", "2 × h200"],
    ["8", ""],
    ["64 GiB", ""],
    ["1 h", "12 s"],
  ]);
});
