import { describe, expect, it } from "vitest";
import {
  chooseCluster,
  clusterNames,
  clusterOf,
  parseClusters,
  selectedCluster,
} from "../../src/api/clusters";

describe("the clusters of a page", () => {
  it("are none without the frontend's element", () => {
    expect(clusterNames).toEqual([]);
    expect(selectedCluster()).toBe("");
    expect(clusterOf({ cluster: "alpha" })).toBe("");
  });

  it("have no names if there is one", () => {
    expect(parseClusters("")).toEqual([]);
    expect(parseClusters("alpha")).toEqual([]);
  });

  it("keep the order of the configuration", () => {
    expect(parseClusters("beta,alpha")).toEqual(["beta", "alpha"]);
  });
});

describe("the stored choice", () => {
  const names = ["alpha", "beta"];

  it("is ignored if the cluster was removed", () => {
    expect(chooseCluster(names, "gamma")).toBe("alpha");
    expect(chooseCluster(names, null)).toBe("alpha");
    expect(chooseCluster([], "alpha")).toBe("");
  });

  it("is used", () => {
    expect(chooseCluster(names, "beta")).toBe("beta");
  });
});
