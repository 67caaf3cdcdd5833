import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { JobSpecSchema } from "#proto/jobs";
import {
  blankForm,
  fitted,
  formToSpec,
  pendingImagesOf,
  startableApps,
  type StartForm,
} from "../../../../src/features/start/form/start_form";

const cluster = create(GetClusterResponseSchema, {
  apps: [
    { id: "jupyter", name: "Jupyter" },
    { id: "vscode", name: "VS Code" },
  ],
  gpuTypes: [{ type: "a100", total: 4 }],
  images: [
    { id: "base:1", apps: ["jupyter", "vscode"] },
    { id: "lab:2", apps: ["jupyter"] },
  ],
});
const blank = blankForm(cluster);
const json = (form: Partial<StartForm>) =>
  toJson(JobSpecSchema, formToSpec({ ...blank, ...form }).spec);
const parseErrors = (form: Partial<StartForm>) =>
  formToSpec({ ...blank, ...form }).parseErrors;

describe("the apps of the start form", () => {
  const withOwn = create(GetClusterResponseSchema, {
    apps: [
      { id: "web", name: "Own web app", requiresFile: ".carme/web-app" },
      { id: "jupyter", name: "Jupyter" },
    ],
  });
  const idsFor = (app: string) =>
    startableApps({ app }, withOwn).map(({ id }) => id);

  it("exclude apps that require a file", () => {
    expect(idsFor("jupyter")).toEqual(["jupyter"]);
    expect(blankForm(withOwn).app).toBe("jupyter");
  });

  it("keep the selected app", () => {
    expect(idsFor("web")).toEqual(["web", "jupyter"]);
  });
});

describe("while an image is being built", () => {
  const pending = create(GetClusterResponseSchema, {
    apps: [{ id: "jupyter" }, { id: "notebook" }],
    images: [{ id: "none" }],
    pendingImages: [{ id: "base:1", apps: ["jupyter"] }],
  });
  const form = blankForm(pending);
  const idsFor = (changed: Partial<StartForm>) =>
    pendingImagesOf({ ...form, ...changed }, pending).map(({ id }) => id);

  it("the default app is one that it does not have", () => {
    expect(form.app).toBe("notebook");
    const only = { ...pending, apps: pending.apps.slice(0, 1) };
    expect(blankForm(only).app).toBe("jupyter");
    const other = { ...pending, images: cluster.images };
    expect(blankForm(other).app).toBe("jupyter");
  });

  it("is shown for the jobs that it would be the default of", () => {
    expect(idsFor({})).toEqual([]);
    expect(idsFor({ app: "jupyter" })).toEqual(["base:1"]);
    expect(idsFor({ kind: "batch" })).toEqual(["base:1"]);
    expect(idsFor({ app: "jupyter", image: "none" })).toEqual([]);
    const other = { ...pending, images: cluster.images };
    expect(pendingImagesOf({ ...form, app: "jupyter" }, other)).toEqual([]);
  });
});

describe("the start form", () => {
  it("sends an environment instead of an image", () => {
    const spec = json({ image: "lab:2", environment: " ~/job.toml " });
    expect(spec).toMatchObject({ environment: "~/job.toml" });
    expect(spec).not.toHaveProperty("image");
    expect(json({ image: "lab:2" })).not.toHaveProperty("environment");
  });

  it("reports invalid fields", () => {
    expect(parseErrors({ walltime: "soon", memoryPerNodeMib: "lots" })).toEqual(
      [
        {
          field: "walltime",
          message:
            'Invalid value "soon". Enter a time such as 45 min, 2 h or 1:30.',
        },
        {
          field: "memoryPerNodeMib",
          message: 'Invalid value "lots". Enter an amount such as 64 GiB.',
        },
      ],
    );
  });

  it.each(["1.5", "-1", "two", "99999999999"])(
    "refuses %j as a number of nodes",
    (nodes) => {
      expect(parseErrors({ nodes })).toEqual([
        {
          field: "nodes",
          message: `Invalid value "${nodes}". Enter a whole number.`,
        },
      ]);
    },
  );

  it("sends copies and reports invalid lines", () => {
    expect(json({ stageIn: "~/set -> set", stageOut: "out" })).toMatchObject({
      stageIn: [{ from: "~/set", to: "set" }],
      stageOut: [{ from: "out", to: "out" }],
    });
    expect(parseErrors({ stageOut: "->" })).toEqual([
      { field: "stageOut", message: 'Invalid line "->": expected from -> to' },
    ]);
  });

  it("starts with one GPU, one node and one hour of the first app", () => {
    expect(json({})).toEqual({
      app: "jupyter",
      gpusPerNode: 1,
      nodes: 1,
      walltime: "3600s",
    });
  });

  it("starts without GPUs where the cluster has none", () => {
    const bare = create(GetClusterResponseSchema, {});
    expect(blankForm(bare)).toMatchObject({ app: "", gpusPerNode: "0" });
  });

  it("leaves empty fields to the server", () => {
    const empty = { nodes: "", walltime: "", cpusPerNode: "", name: "  " };
    expect(parseErrors(empty)).toEqual([]);
    expect(json(empty)).toEqual({ app: "jupyter", gpusPerNode: 1 });
  });

  it("converts units", () => {
    const full = {
      app: "vscode",
      image: "base:1",
      name: " night run ",
      gpuType: "a100",
      gpusPerNode: "2",
      nodes: "3",
      walltime: "1:30",
      cpusPerNode: "16",
      memoryPerNodeMib: "64",
      partition: "long",
    };
    expect(json(full)).toEqual({
      app: "vscode",
      image: "base:1",
      name: "night run",
      gpuType: "a100",
      gpusPerNode: 2,
      nodes: 3,
      walltime: "5400s",
      cpusPerNode: 16,
      memoryPerNodeMib: "65536",
      partition: "long",
    });
  });

  it("resets an image without the app", () => {
    const lab = { ...blank, image: "lab:2" };
    expect(fitted(lab, cluster)).toBe(lab);
    expect(fitted({ ...lab, app: "vscode" }, cluster).image).toBe("");
  });

  it("resets values that are no longer offered", () => {
    const old = { ...blank, app: "rstudio", image: "base:0", nodes: "3" };
    expect(fitted(old, cluster)).toEqual({ ...blank, nodes: "3" });
  });

  it("leaves the default image to the server", () => {
    expect(fitted({ ...blank, image: "base:1" }, cluster).image).toBe("");
    expect(json({})).not.toHaveProperty("image");
  });

  it("submits again only what is vetted", () => {
    const form = { ...blankForm(cluster), resubmit: "yes" };
    expect(formToSpec(form).spec.vetting).toBeUndefined();
    expect(formToSpec({ ...form, vetting: "1" }).spec.vetting).toMatchObject({
      requiredNodes: 1,
      resubmit: true,
    });
    expect(
      formToSpec({ ...form, vetting: "1", resubmit: "" }).spec.vetting
        ?.resubmit,
    ).toBe(false);
  });

  it("refuses a list of excluded nodes that is invalid or too long", () => {
    const errorsOf = (excludedNodes: string) =>
      parseErrors({ excludedNodes }).map(({ message }) => message);
    expect(errorsOf("n3, n[4-")).toEqual([
      'Invalid value "n[4-". Enter names of nodes, or a list such as node[01-04].',
    ]);
    expect(errorsOf("n[1-64]")).toEqual([]);
    expect(errorsOf("n[1-64], m[01-10]")).toEqual([
      "74 nodes are excluded. Exclude at most 64.",
    ]);
  });

  it("expands lists of excluded nodes and drops repeated ones", () => {
    const form = { ...blank, excludedNodes: "n[08-10], n09, gpu1" };
    expect(formToSpec(form).spec.excludedNodes).toEqual([
      "n08",
      "n09",
      "n10",
      "gpu1",
    ]);
  });

  it("separates excluded nodes by commas, spaces or lines", () => {
    const form = { ...blankForm(cluster), excludedNodes: " n3,n4 ,, n5\nn6 " };
    expect(formToSpec(form).spec.excludedNodes).toEqual([
      "n3",
      "n4",
      "n5",
      "n6",
    ]);
    expect(
      formToSpec({ ...form, excludedNodes: " , " }).spec.excludedNodes,
    ).toEqual([]);
  });

  it("drops the GPU type without GPUs", () => {
    expect(json({ gpuType: "a100", gpusPerNode: "0" })).not.toHaveProperty(
      "gpuType",
    );
  });
});
