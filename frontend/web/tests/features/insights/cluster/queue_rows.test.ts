import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { QueuePlaceSchema, QueueSchema } from "#proto/cluster_utilization";
import { type Job, JobState } from "#proto/jobs";
import {
  jobsOnNode,
  positionLabel,
  queueRows,
  startLabel,
} from "../../../../src/features/insights/cluster/queue_rows";
import { sampleJob } from "../../jobs/sample_job";

const kNow = new Date(2026, 10, 22, 12, 0).getTime();
const job = (id: string, more: Partial<Job> = {}) =>
  sampleJob(id, more.state ?? JobState.PENDING, more);

describe("pending jobs", () => {
  it("are neither running nor ended ones", () => {
    const own = [
      job("a", { state: JobState.READY }),
      job("b", { state: JobState.ENDED }),
    ];
    expect(queueRows({ own, others: [], places: [] })).toEqual([]);
  });
  it("mark the user's own, which are listed once", () => {
    const rows = queueRows({
      own: [job("a")],
      others: [job("a"), job("b")],
      places: [],
    });
    expect(rows.map(({ id, isMine }) => [id, isMine])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });
  it("are in the order of their expected start, then of their place", () => {
    const place = (jobId: string, ahead: number) =>
      create(QueuePlaceSchema, { jobId, ahead, partition: "main" });
    const rows = queueRows({
      own: [job("a"), job("b"), job("c")],
      others: [job("d", { expectedStart: timestampFromMs(kNow) })],
      places: [place("a", 7), place("b", 2)],
    });
    expect(rows.map(({ id }) => id)).toEqual(["d", "b", "a", "c"]);
  });
  it("show the reason why a job is pending", () => {
    const [row] = queueRows({
      own: [job("a", { reason: "Waiting for 2 GPUs." })],
      others: [],
      places: [],
    });
    expect(row?.reason).toBe("Waiting for 2 GPUs.");
  });
});

describe("a place in the queue", () => {
  const queues = [create(QueueSchema, { partition: "main", waiting: 12 })];
  const row = {
    ...queueRows({ own: [job("a")], others: [], places: [] })[0]!,
    partition: "main",
  };
  it("is empty if it is not known", () => {
    expect(positionLabel(row, queues)).toBe("");
  });
  it("counts the job itself, also if the counts are older", () => {
    expect(positionLabel({ ...row, ahead: 2 }, queues)).toBe("3 of 12");
    expect(positionLabel({ ...row, ahead: 14 }, queues)).toBe("15 of 15");
  });
  it("has the expected start, or none", () => {
    expect(startLabel(row, kNow)).toBe("no estimate");
    expect(startLabel({ ...row, startMs: kNow + 300_000 }, kNow)).toBe("12:05");
  });
});

describe("the jobs on a node", () => {
  it("are those that hold a part of it", () => {
    const jobs = [
      job("a", { state: JobState.READY, nodes: ["n1", "n2"] }),
      job("b", { state: JobState.READY, nodes: ["n2"] }),
      job("c", { state: JobState.ENDED, nodes: ["n1"] }),
    ];
    expect(jobsOnNode(jobs, "n1").map(({ id }) => id)).toEqual(["a"]);
  });
});
