import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSummarySchema } from "#proto/findings";
import { HistoryJobSchema } from "#proto/history";
import { gpuUseSums } from "../../../../src/features/admin/gpu_use/gpu_use_sums";

const job = (id: string, gpuSeconds: number, username = "ada", project = "") =>
  create(HistoryJobSchema, {
    id,
    username,
    gpuSeconds: BigInt(gpuSeconds),
    nodes: ["n1"],
    spec: { project },
  });
const summary = (
  jobId: string,
  more: MessageInitShape<typeof JobSummarySchema>,
) => create(JobSummarySchema, { jobId, ...more });
const hot = { rule: "gpu-too-hot", title: "Too hot" };

describe("the use of the site's GPUs", () => {
  it("is not known without metrics, and is not taken for none", () => {
    const sums = gpuUseSums([job("a", 3600), job("cpu", 0)], []);
    expect(sums).toMatchObject({
      jobs: [],
      users: [],
      projects: [],
      nodes: [],
      withGpus: 1,
      measured: 0,
    });
  });

  it("has the most unused GPU time first, by job, user and project", () => {
    const sums = gpuUseSums(
      [
        job("a", 100, "ada", "p"),
        job("b", 1000, "bob", "p"),
        job("c", 400, "ada"),
        job("busy", 9000, "eve"),
      ],
      [
        summary("a", { gpuUseMean: 0 }),
        summary("b", { gpuUseMean: 0.9 }),
        summary("c", { gpuUseMean: 0.25 }),
        summary("busy", { gpuUseMean: 1 }),
        summary("unknown", { gpuUseMean: 0 }),
      ],
    );
    const unused = (rows: typeof sums.jobs) =>
      rows.map(({ key, unusedSeconds }) => [key, Math.round(unusedSeconds)]);
    expect(unused(sums.jobs)).toEqual([
      ["c", 300],
      ["a", 100],
      ["b", 100],
    ]);
    expect(unused(sums.users)).toEqual([
      ["ada", 400],
      ["bob", 100],
    ]);
    expect(unused(sums.projects)).toEqual([
      ["", 300],
      ["p", 200],
    ]);
  });

  it("has at most 20 rows, and no use above all of the time", () => {
    const jobs = Array.from({ length: 30 }, (_, i) => job(`j${i}`, 100 + i));
    const sums = gpuUseSums(
      [...jobs, job("odd", 100)],
      [
        ...jobs.map(({ id }) => summary(id, { gpuUseMean: 0 })),
        summary("odd", { gpuUseMean: 1.5 }),
      ],
    );
    expect(sums.jobs).toHaveLength(20);
    expect(sums.users[0]!.unusedSeconds).toBe(sums.users[0]!.gpuSeconds - 100);
  });

  it("names the nodes that throttle, each job once", () => {
    const twoNodes = job("b", 1);
    twoNodes.nodes = ["n1", "n2"];
    const sums = gpuUseSums(
      [job("a", 1), twoNodes],
      [
        summary("a", { found: [hot, { rule: "gpu-idle", nodes: ["n9"] }] }),
        summary("b", {
          found: [
            { ...hot, nodes: ["n1"] },
            { rule: "gpu-power-brake", title: "Brake", nodes: ["n1"] },
          ],
        }),
        // Which of its nodes is not known.
        summary("c", { found: [hot] }),
      ],
    );
    expect(sums.nodes).toEqual([
      { node: "n1", jobs: 2, titles: ["Too hot", "Brake"] },
    ]);
  });
});
