import { describe, expect, it } from "vitest";
import {
  chosenNodes,
  excludedNodesOf,
  toggled,
  trimmed,
  typedItem,
} from "../../../../src/features/start/form/excluded_nodes";

describe("the text of the excluded nodes", () => {
  it("names the first list that is invalid", () => {
    const read = excludedNodesOf("n1, n[2-, n[x]");
    expect(read.invalid).toBe("n[2-, n[x]");
    expect(excludedNodesOf("n1, n[x], n[y]")).toEqual({
      names: ["n1"],
      invalid: "n[x]",
    });
  });

  it("has each node once, though several lists have it", () => {
    expect(excludedNodesOf("n[1-3], n2 n3,n4")).toEqual({
      names: ["n1", "n2", "n3", "n4"],
      invalid: "",
    });
    expect(excludedNodesOf(" , ")).toEqual({ names: [], invalid: "" });
  });

  it("loses separators at its ends only", () => {
    expect(trimmed(" , n1,  n2, ")).toBe("n1,  n2");
    expect(trimmed(", ")).toBe("");
  });
});

describe("the item that is being typed", () => {
  it("is none after a separator", () => {
    expect(typedItem("")).toBe("");
    expect(typedItem("n1, ")).toBe("");
    expect(typedItem("n1 ")).toBe("");
  });

  it("is the last one, with its brackets", () => {
    expect(typedItem("n1, n2")).toBe("n2");
    expect(typedItem("n1, n[2,")).toBe("n[2,");
  });

  it("is not a chosen node yet", () => {
    expect([...chosenNodes("n[1-2], n3")]).toEqual(["n1", "n2"]);
  });
});

describe("a choice of a node", () => {
  it("takes a node out again, also out of a list", () => {
    expect(toggled("n1, n2, n3, ", "n2")).toBe("n1, n3, ");
    expect(toggled("n[1-3], n9, ", "n2")).toBe("n1, n3, n9, ");
    expect(toggled("n1, ", "n1")).toBe("");
  });

  it("replaces what is being typed, and is ready for the next one", () => {
    expect(toggled("", "n1")).toBe("n1, ");
    expect(toggled("n1, gp", "gpu7")).toBe("n1, gpu7, ");
    expect(toggled("n1", "n1")).toBe("n1, ");
    expect(toggled("n1, n[2-3]", "n[2-3]")).toBe("n1, n[2-3], ");
  });

  it("takes a node out though something else is being typed", () => {
    expect(toggled("n1, n2, n1", "n1")).toBe("n2, ");
  });
});
