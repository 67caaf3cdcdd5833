import { describe, expect, it } from "vitest";
import { hostsOf, itemsOf } from "../../src/lib/host_list";

describe("a list of hosts", () => {
  it("is refused when a bracket or a range is invalid", () => {
    for (const list of [
      "node[",
      "node[01-",
      "node[01-]",
      "node[]",
      "node[a-b]",
      "node[04-01]",
      "node[1,]",
      "node]",
      "node[1[2]]",
      "node[1-2-3]",
    ]) {
      expect(hostsOf(list, 100), list).toBeUndefined();
    }
  });

  it("is refused when it has more names than allowed, without building them", () => {
    expect(hostsOf("n[1-5]", 4)).toBeUndefined();
    expect(hostsOf("n[0-999999999]", 64)).toBeUndefined();
    expect(hostsOf("r[1-9]n[1-9]", 80)).toBeUndefined();
    expect(hostsOf(`n${"[0-9]".repeat(500)}`, 64)).toBeUndefined();
  });

  it("keeps a name without brackets", () => {
    expect(hostsOf("gpu-7.site", 4)).toEqual(["gpu-7.site"]);
  });

  it("expands ranges with the zeros of their first number", () => {
    expect(hostsOf("node[08-11]", 9)).toEqual([
      "node08",
      "node09",
      "node10",
      "node11",
    ]);
    expect(hostsOf("n[1,3-4]", 9)).toEqual(["n1", "n3", "n4"]);
  });

  it("expands several brackets, and text behind them", () => {
    expect(hostsOf("r[1-2]n[1-2]-ib", 9)).toEqual([
      "r1n1-ib",
      "r1n2-ib",
      "r2n1-ib",
      "r2n2-ib",
    ]);
  });
});

describe("the items of a list", () => {
  it("are separated by commas, spaces or lines, but not within brackets", () => {
    const items = itemsOf(" n1,n2 ,, n[3,5-6]\nn7 ").map(({ text }) => text);
    expect(items).toEqual(["n1", "n2", "n[3,5-6]", "n7"]);
  });

  it("end with an open bracket", () => {
    expect(itemsOf("n1, n[3, 4")).toEqual([
      { text: "n1", end: 2 },
      { text: "n[3, 4", end: 10 },
    ]);
  });
});
