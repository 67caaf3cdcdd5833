import { describe, expect, it } from "vitest";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import { kGap, loaded, samples } from "./sample_metrics";

const kName = "carme_job_memory_bytes";

describe("a grid of metrics", () => {
  it("shows a pause of the samples as a gap, not as a value", () => {
    const grid = gridOf(loaded(5, { name: kName, values: [1, 2] }));
    grid.addSamples(samples(kName, [40], [9]));
    expect(grid.named(kName)[0]!.values).toEqual([
      1,
      2,
      2,
      2,
      kGap,
      kGap,
      kGap,
      kGap,
      9,
    ]);
  });

  it("never moves a series back", () => {
    const grid = gridOf(loaded(5, { name: kName, values: [1, 2, 3] }));
    grid.addSamples(samples(kName, [5, 10], [7, 8]));
    expect(grid.named(kName)[0]!.values).toEqual([1, 2, 3]);
  });

  it("has a sample at the next point of its time", () => {
    const grid = gridOf(loaded(5, { name: kName, values: [1] }));
    grid.addSamples(samples(kName, [4, 8.5, 15], [2, 3, 4]));
    expect(grid.named(kName)[0]!.values).toEqual([1, 2, 3, 4]);
    expect(grid.length).toBe(4);
  });

  it("keeps series apart by node and labels", () => {
    const grid = gridOf(
      loaded(
        5,
        { name: kName, values: [1], node: "n1" },
        { name: kName, values: [2], node: "n2" },
        { name: kName, values: [3], node: "n2", labels: { step: "0" } },
      ),
    );
    expect(grid.named(kName).map(({ values }) => values[0])).toEqual([1, 2, 3]);
  });

  it("begins a series that appears later with gaps", () => {
    const grid = gridOf(loaded(5, { name: kName, values: [1, 1, 1] }));
    grid.addSamples(samples("carme_program_loss", [15], [0.5]));
    expect(grid.named("carme_program_loss")[0]!.values).toEqual([
      kGap,
      kGap,
      kGap,
      0.5,
    ]);
  });
});
