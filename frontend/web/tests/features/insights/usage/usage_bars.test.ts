import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetUsageResponseSchema } from "#proto/history";
import { hoursOf } from "../../../../src/features/insights/history/history_labels";
import {
  comparisonLabel,
  heightOf,
  kOthers,
  niceMax,
  sumOf,
  trendLabel,
  usageBars,
} from "../../../../src/features/insights/usage/usage_bars";

const usage = (rows: readonly (readonly [string, number, number])[]) =>
  create(GetUsageResponseSchema, {
    rows: rows.map(([key, gpu, cpu]) => ({
      key,
      gpuSeconds: BigInt(gpu),
      cpuSeconds: BigInt(cpu),
    })),
  });

describe("the bars of the usage", () => {
  it("are empty without usage, with an axis all the same", () => {
    const { bars, keys, maxSeconds } = usageBars(usage([]), [usage([])]);
    expect(keys).toEqual([]);
    expect(bars).toEqual([[]]);
    expect(maxSeconds).toBeGreaterThan(0);
  });
  it("are CPU time only if there is no GPU time at all", () => {
    const cpu = usageBars(usage([["", 0, 7200]]), [usage([["", 0, 3600]])]);
    expect(cpu.measure).toBe("cpuSeconds");
    expect(heightOf(cpu.bars[0]!)).toBe(3600);
    const both = usage([
      ["h200", 60, 60],
      ["", 0, 7200],
    ]);
    expect(usageBars(both, [both]).measure).toBe("gpuSeconds");
    expect(usageBars(both, [both]).keys).toEqual(["h200"]);
  });
  it("stack their segments, the largest row of the period first", () => {
    const total = usage([
      ["a", 100, 0],
      ["b", 300, 0],
    ]);
    const part = usage([
      ["a", 40, 0],
      ["b", 60, 0],
    ]);
    const { keys, bars } = usageBars(total, [part]);
    expect(keys).toEqual(["b", "a"]);
    expect(bars[0]).toEqual([
      { key: "b", seconds: 60, from: 0 },
      { key: "a", seconds: 40, from: 60 },
    ]);
  });
  it("put many small rows into one segment", () => {
    const many = usage(
      Array.from({ length: 12 }, (_, at) => [`u${at}`, 100 - at, 0] as const),
    );
    const { keys, bars } = usageBars(many, [many]);
    expect(keys).toHaveLength(9);
    expect(bars[0]!.at(-1)).toMatchObject({
      key: kOthers,
      seconds: 91 + 90 + 89,
    });
  });
  it("have an axis with a round end", () => {
    expect([0, 0.03, 0.05, 1, 1.1, 7, 480].map(niceMax)).toEqual([
      0.02, 0.04, 0.1, 1, 2, 10, 500,
    ]);
  });
  it("have different labels at the end and in the middle of the axis", () => {
    for (const value of [0, 0.003, 0.01, 0.011, 0.03, 0.3, 4, 9, 15]) {
      const end = BigInt(Math.round(3600 * niceMax(value)));
      const labels = [hoursOf(end), hoursOf(end / 2n)];
      expect(labels[0]).not.toBe(labels[1]);
      expect(2 * Number(labels[1])).toBe(Number(labels[0]));
    }
  });
});

describe("a trend", () => {
  it("is nothing to compare without usage before", () => {
    expect(trendLabel(0n, 0n)).toBe("");
    expect(trendLabel(5n, 0n)).toBe("new");
    expect(comparisonLabel(5n, 0n)).toBe("(none in the period before)");
  });
  it("is the change in percent", () => {
    expect(trendLabel(118n, 100n)).toBe("+18 %");
    expect(trendLabel(97n, 100n)).toBe("−3 %");
    expect(trendLabel(1000n, 1001n)).toBe("as before");
    expect(trendLabel(0n, 4n)).toBe("−100 %");
    expect(comparisonLabel(7200n, 3600n)).toBe(
      "+100 % (1 in the period before)",
    );
  });
  it("of hardly anything before is a factor", () => {
    expect(trendLabel(36_000n, 36n)).toBe("1,000 times as much");
    expect(trendLabel(109n, 10n)).toBe("+990 %");
  });
  it("of a period sums its rows", () => {
    const rows = usage([
      ["a", 1, 2],
      ["b", 3, 4],
    ]);
    expect(sumOf(rows, "cpuSeconds")).toBe(6n);
  });
});
