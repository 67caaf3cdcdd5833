import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  ClusterNodeSchema,
  FreeGpusSchema,
  NodeCondition,
  QueuePlaceSchema,
  UtilizationPointSchema,
  UtilizationSeriesSchema,
} from "#proto/cluster_utilization";
import {
  averageOf,
  columnsOf,
  percent,
} from "../../../../src/features/insights/cluster/utilization_chart";
import {
  shownNumbers,
  whenFree,
} from "../../../../src/features/insights/cluster/free_gpu_labels";
import {
  nodesWith,
  summaryOf,
} from "../../../../src/features/insights/cluster/node_labels";
import { locationLabel } from "../../../../src/features/insights/cluster/queue_panel";

const kNow = new Date(2026, 10, 22, 12, 0).getTime();
const inMinutes = (minutes: number) => timestampFromMs(kNow + minutes * 60_000);

describe("free GPUs", () => {
  const gpus = create(FreeGpusSchema, {
    type: "h200",
    total: 8,
    free: 1,
    steps: [
      { at: inMinutes(20), free: 3 },
      { at: inMinutes(60), free: 6 },
    ],
  });
  it("are unknown without data", () => {
    expect(whenFree(gpus, 9, kNow)).toBe("never (total 8)");
    expect(whenFree(gpus, 7, kNow)).toBe("unknown");
  });
  it("are available now or from a time on", () => {
    expect(whenFree(gpus, 1, kNow)).toBe("now");
    expect(whenFree(gpus, 2, kNow)).toBe("from 12:20");
    expect(whenFree(gpus, 4, kNow)).toBe("from 13:00");
  });
  it("are shown for the relevant numbers", () => {
    expect(shownNumbers(gpus)).toEqual([3, 6, 8]);
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

describe("a place in the queue", () => {
  it("shows jobs ahead and the expected start", () => {
    const place = create(QueuePlaceSchema, {
      name: "train",
      partition: "main",
      ahead: 2,
      expectedStart: inMinutes(5),
    });
    expect(locationLabel(place, kNow)).toBe(
      "“train” is pending in main: 2 jobs are ahead; expected to start at about 12:05",
    );
    expect(locationLabel({ ...place, ahead: 0 }, kNow + 3_600_000)).toBe(
      "“train” is pending in main: no jobs are ahead",
    );
  });
});
