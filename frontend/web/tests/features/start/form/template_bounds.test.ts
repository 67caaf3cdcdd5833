import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { TemplateSchema, TemplateSettingsSchema } from "#proto/template";
import { blankForm } from "../../../../src/features/start/form/start_form";
import {
  boundedCluster,
  boundingTemplate,
  fitTo,
  longestWalltime,
  maxOf,
  qosChoices,
} from "../../../../src/features/start/form/template_bounds";

const cluster = create(GetClusterResponseSchema, {
  apps: [{ id: "jupyter", name: "Jupyter" }],
  images: [{ id: "base:1" }, { id: "lab:2" }],
  gpuTypes: [
    { type: "a100", total: 4 },
    { type: "v100", total: 8 },
  ],
  partitions: [{ name: "main" }, { name: "long" }],
});
const blank = blankForm(cluster);
const courses = create(TemplateSettingsSchema, {
  name: "Courses",
  partition: "main",
  gpuTypes: ["a100"],
  maxGpusPerNode: 2,
  maxNodes: 1,
  maxWalltime: { seconds: 1800n },
  cpusPerGpu: 8,
  images: ["lab:2"],
});
const cpus = create(TemplateSettingsSchema, { name: "CPU", noGpus: true });
const templates = [
  create(TemplateSchema, { id: "a", settings: courses, projects: ["p"] }),
  create(TemplateSchema, { id: "b", settings: cpus, projects: ["q"] }),
  create(TemplateSchema, { id: "c", settings: courses, projects: ["q"] }),
  create(TemplateSchema, {
    id: "d",
    settings: cpus,
    projects: ["p"],
    retired: true,
  }),
];
const bound = (project: string, template = "") =>
  boundingTemplate({ ...blank, project, template }, templates);

describe("the template that limits the form", () => {
  it("is undefined without a selection among several", () => {
    expect(bound("")).toBeUndefined();
    expect(bound("q")).toBeUndefined();
    expect(bound("p", "b")).toBeUndefined();
  });

  it("is the only or the selected one", () => {
    expect(bound("p")).toBe(courses);
    expect(bound("q", "b")).toBe(cpus);
  });
});

describe("the choice of a QOS", () => {
  const offers = (qos: string[], project = "") =>
    qosChoices(
      { ...blank, project },
      create(GetClusterResponseSchema, { limits: { qos } }),
      templates,
    );

  it("is hidden for a fixed or single QOS", () => {
    expect(offers(["normal", "short"], "p")).toEqual([]);
    expect(offers(["normal"])).toEqual([]);
    expect(offers([])).toEqual([]);
    expect(qosChoices(blank, cluster, [])).toEqual([]);
  });

  it("has the user's QOS", () => {
    expect(offers(["normal", "short"])).toEqual(["normal", "short"]);
  });
});

describe("a limited form", () => {
  it("offers what the template allows", () => {
    const left = boundedCluster(cluster, courses);
    expect(left.gpuTypes.map(({ type }) => type)).toEqual(["a100"]);
    expect(left.images.map(({ id }) => id)).toEqual(["lab:2"]);
    expect(left.partitions.map(({ name }) => name)).toEqual(["main"]);
    expect(boundedCluster(cluster, cpus).gpuTypes).toEqual([]);
    expect(boundedCluster(cluster, undefined)).toBe(cluster);
  });

  it("uses the template's maxima", () => {
    const form = { ...blank, gpusPerNode: "2" };
    expect(maxOf("gpusPerNode", form, courses)).toBe(2);
    expect(maxOf("nodes", form, courses)).toBe(1);
    expect(maxOf("cpusPerNode", form, courses)).toBe(16);
    expect(maxOf("gpusPerNode", form, cpus)).toBe(0);
    expect(maxOf("nodes", form, cpus)).toBeUndefined();
    expect(maxOf("nodes", form, undefined)).toBeUndefined();
  });

  it.each([
    [0, undefined, 0],
    [60, undefined, 60],
    [60, courses, 30],
    [10, courses, 10],
    [0, courses, 30],
  ])(
    "has the narrower walltime of %d min and the template's",
    (limit, one, max) => {
      expect(longestWalltime(limit, one)).toBe(max);
    },
  );

  it("resets values that are not allowed", () => {
    const form = {
      ...blank,
      gpuType: "v100",
      gpusPerNode: "8",
      nodes: "3",
      walltime: "2 h",
      partition: "long",
      image: "base:1",
      memoryPerNodeMib: "64 GiB",
    };
    expect(Object.fromEntries(fitTo(form, courses, cluster))).toEqual({
      gpuType: "",
      partition: "",
      image: "",
      gpusPerNode: "2",
      nodes: "1",
      walltime: "30 min",
      memoryPerNodeMib: "",
    });
    expect(Object.fromEntries(fitTo(form, cpus, cluster))).toMatchObject({
      gpuType: "",
      gpusPerNode: "0",
    });
    expect(fitTo(form, undefined, cluster)).toEqual([]);
  });

  it("keeps allowed values", () => {
    const form = { ...blank, gpuType: "a100", walltime: "20 min" };
    expect(fitTo(form, courses, cluster)).toEqual([]);
  });
});
