import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ClusterNodeSchema, NodeCondition } from "#proto/cluster_utilization";
import {
  cellLabel,
  cellLevel,
  nextCell,
} from "../../../../src/features/insights/cluster/node_cells";
import {
  gpuTypesOf,
  nodeFilterOf,
  nodesInScope,
  nodesInState,
  partitionsOf,
  queryOfNodes,
  stateCounts,
  viewOf,
} from "../../../../src/features/insights/cluster/node_filter";

function node(
  name: string,
  condition: NodeCondition,
  partition: string,
  gpus: { type: string; total: number; used: number }[] = [],
) {
  return create(ClusterNodeSchema, {
    name,
    condition,
    partitions: [partition],
    gpus,
    cpus: 8,
    cpusUsed: 2,
  });
}
const h200 = (used: number, total = 4) => [{ type: "h200", total, used }];
const kNodes = [
  node("n1", NodeCondition.FREE, "main", h200(0)),
  node("n2", NodeCondition.FULL, "main", h200(4)),
  node("n3", NodeCondition.DOWN, "test"),
  node("n4", NodeCondition.FREE, "test"),
];
const names = (nodes: readonly { name: string }[]) =>
  nodes.map(({ name }) => name);

describe("the filter of nodes", () => {
  const blank = nodeFilterOf("");
  it("shows no node that fails one of its conditions", () => {
    const scope = (query: string) =>
      names(nodesInScope(kNodes, nodeFilterOf(query)));
    expect(scope("partition=none")).toEqual([]);
    expect(scope("partition=test&gpu=h200")).toEqual([]);
    expect(scope("partition=test&find=n3")).toEqual(["n3"]);
    expect(scope("gpu=h200")).toEqual(["n1", "n2"]);
    expect(scope("")).toHaveLength(4);
  });
  it("by state is by the name of the condition", () => {
    const found = (state: string) =>
      names(nodesInState(kNodes, { ...blank, state }));
    expect(found("UNKNOWN")).toEqual([]);
    expect(found("FREE")).toEqual(["n1", "n4"]);
    expect(found("")).toHaveLength(4);
  });
  it("counts states, most frequent first", () => {
    expect(
      stateCounts(kNodes).map(({ state, count }) => [state, count]),
    ).toEqual([
      ["FREE", 2],
      ["FULL", 1],
      ["DOWN", 1],
    ]);
  });
  it("offers each partition and type once", () => {
    expect(partitionsOf(kNodes)).toEqual(["main", "test"]);
    expect(gpuTypesOf(kNodes)).toEqual(["h200"]);
  });
  it("is in the address", () => {
    const filter = { ...blank, state: "DOWN", node: "n3" };
    expect(nodeFilterOf(queryOfNodes(filter))).toEqual(filter);
  });
  it("shows many nodes as a grid unless a view is chosen", () => {
    expect(viewOf(blank, 2)).toBe("table");
    expect(viewOf(blank, 2688)).toBe("grid");
    expect(viewOf({ ...blank, view: "table" }, 2688)).toBe("table");
    expect(viewOf({ ...blank, view: "other" }, 2)).toBe("table");
  });
});

describe("a cell of a node", () => {
  it("names node, state, use and reason", () => {
    expect(cellLabel(kNodes[1]!)).toBe("n2: 4/4 GPUs used, In use");
    expect(
      cellLabel(create(ClusterNodeSchema, { ...kNodes[2]!, reason: "fan" })),
    ).toBe("n3: 2/8 CPUs used, Down. Reason: fan");
  });
  it("is empty only without use, and full only without a rest", () => {
    const level = (used: number, total: number) =>
      cellLevel(node("n", NodeCondition.FREE, "main", h200(used, total)));
    expect(level(0, 4)).toBe(0);
    expect(level(1, 100)).toBe(1);
    expect(level(2, 4)).toBe(2);
    expect(level(99, 100)).toBe(3);
    expect(level(4, 4)).toBe(4);
  });
  it("is reached with the arrow keys, and not beyond the edges", () => {
    expect(nextCell("a", 0, 10, 4)).toBeUndefined();
    expect(nextCell("ArrowLeft", 0, 10, 4)).toBe(0);
    expect(nextCell("ArrowDown", 7, 10, 4)).toBe(7);
    expect(nextCell("ArrowDown", 1, 10, 4)).toBe(5);
    expect(nextCell("ArrowUp", 5, 10, 4)).toBe(1);
    expect(nextCell("End", 1, 10, 4)).toBe(9);
  });
});
