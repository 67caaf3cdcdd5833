import { describe, expect, it } from "vitest";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import {
  sparkLines,
  sparkPaths,
} from "../../../src/features/metrics/sparks/spark_lines";
import { kFromMs, kGap, loaded } from "./sample_metrics";

const kCpu = "carme_job_cpu_seconds_total";
const kMemory = "carme_job_memory_bytes";
const kGiB = 2 ** 30;

describe("the small plots of a job", () => {
  it("are none without a current value", () => {
    const memory = gridOf(loaded(5, { name: kMemory, values: [1] }));
    expect(sparkLines(gridOf(loaded(5)), 4, kFromMs)).toEqual([]);
    expect(sparkLines(memory, 4, kFromMs + 5_000)).toHaveLength(1);
    expect(sparkLines(memory, 4, kFromMs + 60_000)).toEqual([]);
    const oneSample = gridOf(loaded(5, { name: kCpu, values: [7] }));
    expect(sparkLines(oneSample, 4, kFromMs)).toEqual([]);
  });

  it("add up the nodes, and have no sum without one of them", () => {
    const [cpu] = sparkLines(
      gridOf(
        loaded(
          5,
          { name: kCpu, values: [0, 5, 10], node: "n1" },
          { name: kCpu, values: [0, kGap, 5], node: "n2" },
        ),
      ),
      8,
      kFromMs + 10_000,
    );
    expect(cpu!.text).toBe("1.5 of 8 cores");
    expect(cpu!.values).toEqual([kGap, kGap, 1.5 / 8]);
  });

  it("show memory beside its limit, and GPUs if there are some", () => {
    const lines = sparkLines(
      gridOf(
        loaded(
          5,
          { name: kMemory, values: [kGiB] },
          { name: "carme_job_memory_limit_bytes", values: [4 * kGiB] },
          {
            name: "carme_gpu_utilization_ratio",
            values: [0.5],
            labels: { gpu: "0" },
          },
        ),
      ),
      0,
      kFromMs,
    );
    expect(lines.map(({ id, text, values }) => [id, text, ...values])).toEqual([
      ["gpu", "50 %", 0.5],
      ["memory", "1 GiB of 4 GiB", 0.25],
    ]);
  });

  it("draw a gap as a gap", () => {
    expect(sparkPaths([0, 1, kGap, 0.5])).toHaveLength(2);
    expect(sparkPaths([kGap])).toEqual([]);
  });
});
