import { describe, expect, it } from "vitest";
import { RatedUse_Rating as Rating } from "#proto/findings";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import {
  distributionOf,
  saturation,
} from "../../../src/features/metrics/series/saturation";
import { scoreRows } from "../../../src/features/metrics/series/saturation_series";
import { kGap, loaded } from "./sample_metrics";

const ratio = (name: string, ...values: number[]) => ({
  name: `carme_gpu_${name}_ratio`,
  labels: { gpu: "0" },
  values,
});

describe("the saturation score", () => {
  it("does not exist without every pipe", () => {
    const grid = gridOf(
      loaded(
        5,
        ratio("sm_active", 1),
        ratio("sm_occupancy", 0.5),
        ratio("tensor_active", 0.5),
        ratio("fp16_active", 0),
        ratio("fp32_active", 0),
      ),
    );
    expect(scoreRows(grid, 0, 1)).toEqual([]);
  });

  it("equals the published values", () => {
    const golden = [
      [0, 0, 0, 0],
      [1, 0, 0, 0],
      [1, 0, 1, 0.772103],
      [1, 0.5, 0.5, 0.649863],
      [0.9, 0.3, 0.5, 0.446703],
      [0.5, 0.1, 0.2, 0.216487],
      [0.05, 0.02, 0.1, 0.060209],
      [0.95, 0.6, 0.25, 0.729814],
      [1, 1, 1, 0.913253],
      [1, 2, 1, 0.995897],
    ] as const;
    for (const [smActive, flopActive, smOccupancy, score] of golden) {
      const found = saturation({ smActive, flopActive, smOccupancy });
      expect(found).toBeCloseTo(score, 6);
    }
    expect(
      saturation({ smActive: 1, flopActive: 1000, smOccupancy: 1 }),
    ).toBeLessThan(1);
  });

  it("is the agent's, which has more samples, but never without its parts", () => {
    const score = ratio("saturation", 0.3);
    const parts = [
      ratio("sm_active", 1),
      ratio("sm_occupancy", 0.5),
      ratio("tensor_active", 0.25),
      ratio("fp16_active", 0.25),
      ratio("fp32_active", 0),
      ratio("fp64_active", 0),
    ];
    const rows = (...series: (typeof score)[]) =>
      scoreRows(gridOf(loaded(5, ...series)), 0, 1);
    expect(rows(score, ...parts)[0]!.score.mean).toBe(0.3);
    expect(rows(score)).toEqual([]);
    expect(rows(score, ...parts.slice(1))).toEqual([]);
  });

  it("has the use and the power of its GPU, rated", () => {
    const score = (...more: ReturnType<typeof ratio>[]) =>
      scoreRows(
        gridOf(
          loaded(
            5,
            ...["sm_active", "sm_occupancy", "tensor_active"].map((name) =>
              ratio(name, 0.5),
            ),
            ...["fp16_active", "fp32_active", "fp64_active"].map((name) =>
              ratio(name, 0.1),
            ),
            ...more,
          ),
        ),
        0,
        1,
      )[0];
    expect(score()?.flopActive).toBeCloseTo(0.8);
    expect(score()?.utilization).toBeUndefined();
    const watts = { ...ratio("", 60), name: "carme_gpu_power_watts" };
    expect(score(watts)?.power).toBeUndefined();
    const rated = score(ratio("utilization", 0.8), watts, {
      ...ratio("", 700),
      name: "carme_gpu_power_limit_watts",
    });
    expect(rated?.utilization).toEqual({ value: 80, rating: Rating.GOOD });
    expect(rated?.power).toEqual({ value: 60, rating: Rating.POOR });
  });

  it("is computed for each sample, then aggregated, without gaps", () => {
    const grid = gridOf(
      loaded(
        5,
        ratio("sm_active", 1, kGap, 0),
        ratio("sm_occupancy", 0.5, 0.5, 0),
        ratio("tensor_active", 0.25, 0.25, 0),
        ratio("fp16_active", 0.25, 0.25, 0),
        ratio("fp32_active", 0, 0, 0),
        ratio("fp64_active", 0, 0, 0),
      ),
    );
    const [row] = scoreRows(grid, 0, 3);
    expect(row!.score.mean).toBeCloseTo(0.649863 / 2, 5);
    expect(row!.score.min).toBe(0);
    expect(row!.smActive.mean).toBe(0.5);
    expect(row!.pipes.map(({ mean }) => mean.toFixed(3))).toEqual([
      "0.167",
      "0.167",
      "0.000",
      "0.000",
    ]);
  });
});

describe("a distribution", () => {
  it("does not exist of gaps alone", () => {
    expect(distributionOf([kGap])).toBeUndefined();
  });

  it("has the middle of an even count as its median", () => {
    expect(distributionOf([4, 1, kGap, 3, 2])).toEqual({
      mean: 2.5,
      median: 2.5,
      min: 1,
      max: 4,
    });
  });
});
