import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  ClusterNodeSchema,
  FreeGpusSchema,
  NodeCondition,
  UtilizationPointSchema,
  UtilizationSeriesSchema,
} from "#proto/cluster_utilization";
import {
  averageOf,
  columnsOf,
  newestOf,
  percent,
  pointAt,
} from "../../../../src/features/insights/cluster/utilization_chart";
import {
  freeLabels,
  freeSegments,
  timelineEnd,
} from "../../../../src/features/insights/cluster/free_gpu_timeline";
import {
  nodesWith,
  summaryOf,
} from "../../../../src/features/insights/cluster/node_labels";

const kNow = new Date(2026, 10, 22, 12, 0).getTime();
const inMinutes = (minutes: number) => timestampFromMs(kNow + minutes * 60_000);

describe("free GPUs", () => {
  const gpus = create(FreeGpusSchema, {
    type: "h200",
    total: 8,
    free: 1,
    steps: [
      { at: inMinutes(-2), free: 2 },
      { at: inMinutes(20), free: 3 },
      { at: inMinutes(60), free: 6 },
    ],
  });
  const none = create(FreeGpusSchema, { type: "a100", total: 4, free: 4 });
  it("have an axis of at least an hour, beyond the last change", () => {
    expect(timelineEnd([], kNow)).toBe(kNow + 3_600_000);
    expect(timelineEnd([none, gpus], kNow)).toBe(kNow + 66 * 60_000);
  });
  it("are one segment without a change", () => {
    expect(freeSegments(none, kNow, kNow + 10)).toEqual([
      { fromMs: kNow, toMs: kNow + 10, free: 4 },
    ]);
  });
  it("are segments from now on, an overdue change included", () => {
    const end = timelineEnd([gpus], kNow);
    const minute = (ms: number) => (ms - kNow) / 60_000;
    expect(
      freeSegments(gpus, kNow, end).map(({ fromMs, toMs, free }) => [
        minute(fromMs),
        minute(toMs),
        free,
      ]),
    ).toEqual([
      [0, 20, 2],
      [20, 60, 3],
      [60, 66, 6],
    ]);
  });
  it("are labelled with number and time, the nearest first", () => {
    expect(freeLabels(none, kNow, 6)).toEqual([]);
    expect(freeLabels(gpus, kNow, 2)).toEqual([
      "2 free at 12:00",
      "3 free at 12:20",
    ]);
  });
});

describe("a chart", () => {
  const span = { fromMs: 0, toMs: 1000, stepMs: 100 };
  const point = (at: number, used: number, total: number) =>
    create(UtilizationPointSchema, { at: timestampFromMs(at), used, total });
  it("has gaps without data", () => {
    expect(columnsOf([], span)).toBe("");
    expect(columnsOf([point(0, 0, 0)], span)).toBe("");
    expect(columnsOf([point(2000, 1, 1), point(-500, 1, 1)], span)).toBe("");
  });
  it("has a column for each step, within its box", () => {
    expect(columnsOf([point(500, 1, 4)], span)).toBe("M500 100V75H600V100Z");
    expect(columnsOf([point(-50, 9, 4)], span)).toBe("M0 100V0H50V100Z");
  });
  it("has a value only where a step was recorded", () => {
    const points = [point(0, 1, 4), point(500, 2, 4), point(900, 0, 0)];
    const used = (share: number) => pointAt(points, span, share)?.used;
    expect([0, 0.05, 0.3, 0.55, 0.95].map(used)).toEqual([
      1,
      1,
      undefined,
      2,
      undefined,
    ]);
    const series = create(UtilizationSeriesSchema, { points });
    expect(newestOf(series)?.used).toBe(2);
  });
  it("shows the average", () => {
    const series = create(UtilizationSeriesSchema, {
      points: [point(0, 1, 4), point(100, 3, 4)],
    });
    expect(averageOf(series)).toBe(0.5);
    expect(averageOf(create(UtilizationSeriesSchema, {}))).toBeUndefined();
    expect(percent(0.001)).toBe("<1 %");
    expect(percent(0)).toBe("0 %");
  });
});

describe("nodes", () => {
  const node = (name: string, condition: NodeCondition, gpu: string) =>
    create(ClusterNodeSchema, {
      name,
      condition,
      partitions: ["main"],
      gpus: [{ type: gpu, total: 4 }],
    });
  const nodes = [
    node("n1", NodeCondition.FREE, "h200"),
    node("n2", NodeCondition.FREE, "a100"),
    node("n3", NodeCondition.DOWN, "a100"),
  ];
  it("are found if all words match", () => {
    const names = (text: string) =>
      nodesWith(nodes, text).map(({ name }) => name);
    expect(names("")).toHaveLength(3);
    expect(names("A100 free")).toEqual(["n2"]);
    expect(names("a100 h200")).toEqual([]);
  });
  it("are summarized", () => {
    expect(summaryOf(nodes)).toBe("2 free, 1 down");
  });
});
