import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ClusterNodeSchema, NodeCondition } from "#proto/cluster_utilization";
import {
  kMaxOptions,
  nodeOptions,
  nodesFor,
  partitionOf,
} from "../../../../src/features/start/form/node_options";

const node = (name: string, more: object = {}) =>
  create(ClusterNodeSchema, {
    name,
    condition: NodeCondition.FREE,
    state: "IDLE",
    partitions: ["main"],
    forJobs: true,
    ...more,
  });
const gpus = [{ type: "a100", total: 4, used: 1 }];
const nodes = [
  node("cpu1"),
  node("down1", { condition: NodeCondition.DOWN, state: "DOWN" }),
  node("gpu1", { partitions: ["gpu"], gpus }),
  node("gpu2", { partitions: ["gpu", "main"] }),
  node("login1", { forJobs: false }),
];
const namesOf = (text: string) =>
  nodeOptions(nodes, text).options.map(({ value }) => value);

describe("the nodes that can be excluded", () => {
  it("do not include nodes of other partitions, or that jobs cannot use", () => {
    const names = (partition: string) =>
      nodesFor(nodes, partition).map(({ name }) => name);
    expect(names("other")).toEqual([]);
    expect(names("gpu")).toEqual(["gpu1", "gpu2"]);
    expect(names("main")).toEqual(["cpu1", "down1", "gpu2"]);
    expect(names("")).toEqual(["cpu1", "down1", "gpu1", "gpu2"]);
  });

  it("are of the partition in the form, of the template, or the default one", () => {
    const partitions = [
      { name: "cpu", isDefault: false },
      { name: "main", isDefault: true },
    ];
    const cluster = { partitions } as never;
    const of = (partition: string, bound?: { partition: string }) =>
      partitionOf({ partition }, bound, cluster);
    expect(partitionOf({ partition: "" }, undefined, { partitions: [] })).toBe(
      "",
    );
    expect(of("")).toBe("main");
    expect(of("", { partition: "" })).toBe("main");
    expect(of("", { partition: "gpu" })).toBe("gpu");
    expect(of("cpu", { partition: "gpu" })).toBe("cpu");
  });
});

describe("the options of the excluded nodes", () => {
  it("are none when no node matches", () => {
    expect(nodeOptions(nodes, "n1, tape")).toEqual({ options: [], left: 0 });
  });

  it("are capped, and count what is left", () => {
    const many = Array.from({ length: 2688 }, (_, i) => node(`n${i}`));
    const { options, left } = nodeOptions(many, "");
    expect(options).toHaveLength(kMaxOptions);
    expect(left).toBe(2688 - kMaxOptions);
    expect(nodeOptions(many, "n2687").options).toHaveLength(1);
  });

  it("show GPUs and state, and which nodes are chosen", () => {
    const { options } = nodeOptions(nodes, "gpu1, gpu");
    expect(options).toMatchObject([
      { value: "gpu1", label: "4 × a100", chosen: true },
      { value: "gpu2", label: "", chosen: false },
    ]);
    expect(options[0]?.state?.label).toBe("Free");
  });

  it("are found by any part of the name, then by state and GPU type", () => {
    expect(namesOf("PU1")).toEqual(["cpu1", "gpu1"]);
    expect(namesOf("down")).toEqual(["down1"]);
    expect(namesOf("a100")).toEqual(["gpu1"]);
  });

  it("of a list that is not complete start as the list does", () => {
    expect(namesOf("gpu[0")).toEqual(["gpu1", "gpu2"]);
    expect(namesOf("cpu1, gpu[")).toEqual(["gpu1", "gpu2"]);
    expect(namesOf("pu[")).toEqual([]);
  });

  it("have a complete list as one option", () => {
    expect(nodeOptions(nodes, "cpu1, gpu[01-04]")).toEqual({
      options: [{ value: "gpu[01-04]", label: "4 nodes", chosen: false }],
      left: 0,
    });
  });
});
