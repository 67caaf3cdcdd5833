import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  GetNodeHistoryResponseSchema,
  NodeEntrySource,
  NodeHistoryEntrySchema,
  NodeRuleState,
} from "#proto/node_history";
import {
  entryJobLabel,
  entrySeverityLabel,
  entrySourceLabel,
  ruleStateLabel,
} from "../../../../src/features/admin/nodes/node_history_labels";

describe("the state of a node", () => {
  it("names the rule that drained it", () => {
    const answer = create(GetNodeHistoryResponseSchema, {
      state: NodeRuleState.DRAINED,
      rule: "failed-vet",
    });
    expect(ruleStateLabel(answer)).toEqual({
      label: "Drained by rule failed-vet",
      tone: "bad",
    });
  });

  it("is healthy without anything else", () => {
    const answer = create(GetNodeHistoryResponseSchema, {});
    expect(ruleStateLabel(answer).tone).toBe("good");
  });
});

describe("an entry", () => {
  it("has a label for each source", () => {
    const labels = new Set<string>();
    const sources = Object.values(NodeEntrySource).filter(
      (source): source is NodeEntrySource =>
        typeof source === "number" && source !== NodeEntrySource.UNSPECIFIED,
    );
    for (const source of sources) {
      labels.add(entrySourceLabel(create(NodeHistoryEntrySchema, { source })));
    }
    expect(labels.size).toBe(sources.length);
    expect(labels.has("")).toBe(false);
  });

  it("without a job has no job", () => {
    const entry = create(NodeHistoryEntrySchema, {});
    expect(entryJobLabel(entry)).toBe("");
    expect(entrySeverityLabel(entry).tone).toBe("info");
  });

  it("names Slurm's job and its owner", () => {
    const entry = create(NodeHistoryEntrySchema, {
      slurmJobId: 17,
      user: "ada",
    });
    expect(entryJobLabel(entry)).toBe("Slurm 17 · ada");
  });
});
