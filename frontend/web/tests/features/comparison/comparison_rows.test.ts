import { describe, expect, it } from "vitest";
import { JobReceiptSchema } from "#proto/findings";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { comparisonGroups } from "../../../src/features/comparison/comparison_rows";
import type { ComparedJob } from "../../../src/features/comparison/compared_job";
import { comparedFindings } from "../../../src/features/comparison/finding_rows";
import { kFromMs, loaded } from "../metrics/sample_metrics";
import { compared } from "./sample_jobs";

type Receipt = MessageInitShape<typeof JobReceiptSchema>;

const gpuUse = (mean: number, peak = mean): Receipt => ({
  used: [{ series: "carme_gpu_utilization_ratio", mean, peak }],
});

function rowOf(jobs: readonly ComparedJob[], id: string) {
  return comparisonGroups(jobs, (project) => project, kFromMs + 1e6)
    .flatMap(({ rows }) => rows)
    .find((row) => row.id === id);
}

const texts = (jobs: readonly ComparedJob[], id: string) =>
  rowOf(jobs, id)?.cells.map(({ text }) => text);

describe("the rows of a comparison", () => {
  it("leave out what is known of no job", () => {
    const jobs = compared({ ranS: 60 }, { ranS: 60 });
    const groups = comparisonGroups(jobs, String, kFromMs);
    expect(groups.map(({ id }) => id)).toEqual(["times"]);
    expect(rowOf(jobs, "energy")).toBeUndefined();
  });

  it("have no value and no difference of a job without samples", () => {
    const jobs = compared(
      { ranS: 60, receipt: { ...gpuUse(0.5), energyJoules: 3.6e6 } },
      { ranS: 60 },
    );
    for (const id of ["carme_gpu_utilization_ratio-mean", "energy"]) {
      const [first, second] = rowOf(jobs, id)!.cells;
      expect(first!.text).not.toBe("");
      expect(second).toEqual({ text: "", difference: undefined });
    }
  });

  it("do not have an energy that was not measured as zero", () => {
    const jobs = compared(
      { ranS: 60, receipt: { ...gpuUse(0.5), energyJoules: 3.6e6 } },
      { ranS: 60, receipt: { ...gpuUse(0.5), energyJoules: 0 } },
    );
    expect(texts(jobs, "energy")).toEqual(["1 kWh", ""]);
  });

  it("have times of a job that has not started only where there are", () => {
    const jobs = compared({ ranS: 90, queuedS: 20 }, {});
    expect(texts(jobs, "ran")).toEqual(["1 min 30 s", ""]);
    expect(texts(jobs, "queued")).toEqual(["20 s", ""]);
  });

  it("have differences to the first job", () => {
    const jobs = compared(
      { ranS: 60, queuedS: 10, receipt: gpuUse(0.2, 0.4) },
      { ranS: 90, queuedS: 20, receipt: gpuUse(0.5, 0.6) },
      { ranS: 60, queuedS: 5, receipt: gpuUse(0.1, 0.4) },
    );
    const differences = (id: string) =>
      rowOf(jobs, id)!.cells.map(({ difference }) => difference);
    expect(differences("queued")).toEqual([
      undefined,
      { text: "+10 s (+100 %)", verdict: "worse" },
      { text: "−5 s (−50 %)", verdict: undefined },
    ]);
    // A longer run may have done more.
    expect(differences("ran")[1]).toEqual({
      text: "+30 s (+50 %)",
      verdict: undefined,
    });
    expect(differences("carme_gpu_utilization_ratio-mean")).toEqual([
      undefined,
      { text: "+30 points (+150 %)", verdict: "better" },
      { text: "−10 points (−50 %)", verdict: "worse" },
    ]);
    expect(
      differences("carme_gpu_utilization_ratio-peak")[1]!.verdict,
    ).toBeUndefined();
  });

  it("have the mean and the last value that each program reported", () => {
    const loss = (values: number[]) =>
      loaded(5, { name: "carme_program_loss", values });
    const jobs = compared(
      { ranS: 60, metrics: loss([4, 2]) },
      { ranS: 60, metrics: loss([3, 1, Number.NaN]) },
      { ranS: 60 },
    );
    expect(texts(jobs, "carme_program_loss-mean")).toEqual(["3", "2", ""]);
    expect(texts(jobs, "carme_program_loss-last")).toEqual(["2", "1", ""]);
    expect(
      rowOf(jobs, "carme_program_loss-last")!.cells[1]!.difference!.verdict,
    ).toBe("better");
  });

  it("have commands only if they differ", () => {
    const of = (...commands: string[]) =>
      compared(
        ...commands.map((command) => ({
          ranS: 60,
          job: { spec: { nodes: 1, batch: { command } } },
        })),
      );
    expect(texts(of("train", "train"), "command")).toBeUndefined();
    expect(texts(of("train", "train --fast"), "command")).toEqual([
      "train",
      "train --fast",
    ]);
  });
});

describe("the findings of a comparison", () => {
  it("are not known without samples, and otherwise found or not", () => {
    const finding = {
      rule: "gpu-idle",
      title: "A GPU was idle",
      severity: 2,
      heldS: 120n,
    };
    const jobs = compared(
      { ranS: 60, receipt: { findings: [finding] } },
      { ranS: 60, receipt: {} },
      { ranS: 60 },
    );
    expect(comparedFindings(jobs)).toEqual([
      {
        rule: "gpu-idle",
        title: "A GPU was idle",
        cells: [
          { text: "Warning, for 2 min", tone: "wait" },
          { text: "not found", tone: undefined },
          { text: "", tone: undefined },
        ],
      },
    ]);
  });
});
