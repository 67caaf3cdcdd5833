import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { parseRoute } from "../../../../src/routes/route";
import {
  clusterOfLink,
  linkOf,
  readLink,
} from "../../../../src/features/start/form/form_link";
import { blankForm } from "../../../../src/features/start/form/start_form";

const cluster = create(GetClusterResponseSchema, {
  apps: [{ id: "jupyter", name: "Jupyter" }],
  images: [{ id: "base:1" }],
  gpuTypes: [{ type: "a100", total: 4 }],
  partitions: [{ name: "main" }],
});
const blank = blankForm(cluster);
const read = (query: string) => readLink(query, cluster);

describe("a link that fills in the form", () => {
  it("ignores copies, commands and files", () => {
    for (const query of [
      "stageIn=~/.ssh",
      "stageOut=a -> ~/.bashrc",
      "command=rm",
      "batch=x",
      "environment=~/evil.toml",
      "environment=/tmp/evil.toml",
      "__proto__=x",
      "constructor=x",
    ]) {
      const { fields, validationErrors } = read(query);
      expect(fields).toEqual({});
      expect(validationErrors).toHaveLength(1);
    }
  });

  it("reports and ignores unavailable values", () => {
    const { fields, validationErrors } = read(
      "app=doom&image=x:1&gpuType=h900&partition=moon&nodes=2",
    );
    expect(fields).toEqual({ nodes: "2" });
    expect(validationErrors).toEqual([
      'app "doom" is not available here. Available: jupyter.',
      'image "x:1" is not available here. Available: base:1.',
      'gpuType "h900" is not available here. Available: a100.',
      'partition "moon" is not available here. Available: main.',
    ]);
  });

  it("sets any QOS", () => {
    expect(read("qos=short")).toEqual({
      fields: { qos: "short" },
      validationErrors: [],
    });
  });

  it("has room for a long list of excluded nodes, and no separator behind it", () => {
    const names = Array.from({ length: 64 }, (_, i) => `gpu-node${i}.site`);
    const excludedNodes = names.join(", ");
    const form = { ...blank, excludedNodes: `${excludedNodes}, ` };
    const query = linkOf(form, "https://portal/").split("?")[1] ?? "";
    expect(read(query)).toMatchObject({
      fields: { excludedNodes },
      validationErrors: [],
    });
  });

  it("reports duplicate and overlong values", () => {
    expect(read("nodes=2&nodes=3")).toEqual({
      fields: { nodes: "2" },
      validationErrors: ["Duplicate field nodes."],
    });
    expect(read(`name=${"a".repeat(201)}`).validationErrors).toEqual([
      "name is longer than 200 characters.",
    ]);
  });

  it("round-trips", () => {
    const form = {
      ...blank,
      name: "Übung & <b>実習</b> 🧪 #1?",
      gpuType: "a100",
      gpusPerNode: "2",
      walltime: "1 h 30 min",
      project: "p23456789abcdefg",
      stageIn: "~/a -> a",
      environment: "torch",
    };
    const link = linkOf(form, "https://carme.test/");
    const { page, query } = parseRoute(new URL(link).hash);
    expect(page).toBe("dashboard");
    const { fields, validationErrors } = read(query);
    expect(validationErrors).toEqual([]);
    expect({ ...blank, ...fields }).toEqual({ ...form, stageIn: "" });
  });

  it("excludes environment files", () => {
    const form = { ...blank, environment: "~/job.toml" };
    expect(linkOf(form, "https://carme.test/")).not.toContain("job.toml");
  });
});

describe("a link of one of several clusters", () => {
  const names = ["alpha", "beta"];
  const query = (name: string) => `cluster=${name}&nodes=2`;

  it("reports a cluster that the portal does not have", () => {
    expect(clusterOfLink(query("gamma"), names)).toBeUndefined();
    expect(readLink(query("gamma"), cluster, names)).toEqual({
      fields: { nodes: "2" },
      validationErrors: [
        'cluster "gamma" is not available here. Available: alpha, beta.',
      ],
    });
    expect(clusterOfLink(query("alpha"), [])).toBeUndefined();
    expect(read(query("alpha")).validationErrors).toHaveLength(1);
  });

  it("names its cluster", () => {
    const link = linkOf(blank, "https://carme.test/", "beta");
    const { query: linked } = parseRoute(link.slice(link.indexOf("#")));
    expect(clusterOfLink(linked, names)).toBe("beta");
    expect(readLink(linked, cluster, names).validationErrors).toEqual([]);
    expect(linkOf(blank, "https://carme.test/")).not.toContain("cluster");
  });
});
