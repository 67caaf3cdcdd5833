import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ClusterNodeSchema, NodeCondition } from "#proto/cluster_utilization";
import {
  namesOf,
  selectionOf,
} from "../../../../src/features/admin/nodes/node_selection";

const node = (name: string, condition: NodeCondition) =>
  create(ClusterNodeSchema, { name, condition });

const kNodes = [
  node("n1", NodeCondition.FREE),
  node("n2", NodeCondition.DRAINING),
  node("n3", NodeCondition.OUT),
  node("n4", NodeCondition.DOWN),
];

it("a drained node is not drained again, and another is not resumed", () => {
  const { toDrain, toResume } = selectionOf(
    kNodes,
    new Set(["n1", "n2", "n3", "n4"]),
  );
  expect(toDrain).toEqual(["n1", "n4"]);
  expect(toResume).toEqual(["n2", "n3"]);
});

it("a node that is gone is not in a request", () => {
  const { toDrain, toResume } = selectionOf(kNodes, new Set(["n9"]));
  expect([...toDrain, ...toResume]).toEqual([]);
});

it("many names are shortened", () => {
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  const more = ({ shown, rest }: { shown: string; rest: number }) =>
    `${shown} and ${rest} more`;
  expect(namesOf(["n1", "n2"], more)).toBe("n1, n2");
  expect(namesOf(names, more)).toBe(
    "n0, n1, n2, n3, n4, n5, n6, n7 and 2 more",
  );
});
