import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { JobFinding_Severity, JobSummarySchema } from "#proto/findings";
import { HistoryJobSchema } from "#proto/history";
import { jobSums } from "../../../src/features/summary/job_sums";
import { scoreNotes } from "../../../src/features/summary/summary_sheet";

const job = (id: string, gpuSeconds: number, hasRun = true) =>
  create(HistoryJobSchema, {
    id,
    gpuSeconds: BigInt(gpuSeconds),
    ...(hasRun && { startedAt: timestampFromMs(1000) }),
  });
const summary = (
  jobId: string,
  more: MessageInitShape<typeof JobSummarySchema> = {},
) => create(JobSummarySchema, { jobId, ...more });
const idle = (severity: JobFinding_Severity) => ({
  rule: "idle",
  title: "A GPU was idle",
  severity,
});

describe("the sums of a summary", () => {
  it("are not known without metrics", () => {
    expect(jobSums([job("a", 100), job("b", 0, false)], [])).toMatchObject({
      ran: 1,
      measured: 0,
      meanScore: undefined,
      energyJoules: undefined,
      foundShare: undefined,
      findings: [],
    });
  });

  it("do not have a missing score or energy as zero", () => {
    const sums = jobSums(
      [job("a", 100), job("b", 900)],
      [
        summary("a", { energyJoules: 7, score: { mean: 0.5 } }),
        summary("b", { energyJoules: 0 }),
      ],
    );
    expect(sums.meanScore).toBe(0.5);
    expect(sums.energyJoules).toBe(7);
  });

  it("have no score of jobs without GPU time", () => {
    const sums = jobSums(
      [job("a", 0)],
      [summary("a", { score: { mean: 0.5 } })],
    );
    expect(sums.meanScore).toBeUndefined();
    expect(sums.foundShare).toBeUndefined();
  });

  it("weight the score and the advice with GPU time", () => {
    const sums = jobSums(
      [job("a", 100), job("b", 300), job("unmeasured", 1000)],
      [
        summary("a", {
          score: { mean: 0.9 },
          found: [idle(JobFinding_Severity.WARNING)],
        }),
        summary("b", {
          score: { mean: 0.1 },
          found: [idle(JobFinding_Severity.INFO)],
        }),
        summary("not of the period", { score: { mean: 1 } }),
      ],
    );
    expect(sums.measured).toBe(2);
    expect(sums.meanScore).toBeCloseTo(0.3);
    expect(sums.foundShare).toBe(0.25);
    expect(sums.findings).toEqual([
      { rule: "idle", title: "A GPU was idle", jobs: 1, gpuSeconds: 100 },
    ]);
  });

  it("have components and ratings beside the score, weighted alike", () => {
    const measured = (mean: number, at: number, watts: number) => ({
      score: {
        mean,
        components: { smActive: at, smOccupancy: at / 2, flopActive: at / 4 },
      },
      ratings: {
        utilization: { value: at * 100 },
        power: { value: watts },
        powerLimitWatts: 700,
      },
    });
    const sums = jobSums(
      [job("a", 100), job("b", 300)],
      [
        summary("a", measured(0.2, 0.4, 700)),
        summary("b", measured(0.6, 0.8, 140)),
      ],
    );
    expect(sums.components?.smActive).toBeCloseTo(0.7);
    expect(sums.components?.flopActive).toBeCloseTo(0.175);
    expect(sums.ratings.utilization).toBeCloseTo(70);
    expect(sums.ratings.compute).toBeUndefined();
    expect(sums.ratings.powerShare).toBeCloseTo(0.4);
    expect(scoreNotes(sums)).toEqual([
      "SM active 70 %, SM occupancy 35 %, pipes together 17.5 %",
      "GPU utilization 70 % (acceptable), 40 % (acceptable) of the boards’ power",
    ]);
  });

  it("say that components are not known", () => {
    const sums = jobSums(
      [job("a", 100)],
      [summary("a", { score: { mean: 0.5 } })],
    );
    expect(scoreNotes(sums)).toEqual(["Its components are not known."]);
    expect(scoreNotes(jobSums([], []))).toEqual([]);
  });

  it("have the ten largest jobs that ran", () => {
    const jobs = Array.from({ length: 12 }, (_, at) => job(`j${at}`, at));
    const { largest } = jobSums([...jobs, job("pending", 99, false)], []);
    expect(largest.map(({ id }) => id)).toEqual(
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((at) => `j${at}`),
    );
  });
});
