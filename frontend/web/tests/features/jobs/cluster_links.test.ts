import { describe, expect, it } from "vitest";
import { awayClusters, linkOf } from "../../../src/features/jobs/cluster_links";

describe("the connections to clusters", () => {
  it("have the state of the only one", () => {
    expect(linkOf({})).toBe("connecting");
    expect(linkOf({ "": "reconnecting" })).toBe("reconnecting");
    expect(awayClusters({ "": "reconnecting" })).toEqual([]);
  });

  it("name no cluster while the portal cannot be reached", () => {
    const links = { alpha: "reconnecting", beta: "reconnecting" } as const;
    expect(linkOf(links)).toBe("reconnecting");
    expect(awayClusters(links)).toEqual([]);
  });

  it("name a cluster that is away while another is live", () => {
    const links = { alpha: "reconnecting", beta: "live" } as const;
    expect(linkOf(links)).toBe("live");
    expect(awayClusters(links)).toEqual(["alpha"]);
  });

  it("name no cluster that is being connected for the first time", () => {
    expect(awayClusters({ alpha: "live", beta: "connecting" })).toEqual([]);
  });
});
