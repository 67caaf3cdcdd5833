import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GpuIdlePolicy_Action } from "#proto/gpu_idle";
import { TemplateSchema, TemplateSettingsSchema } from "#proto/template";
import {
  audienceLabel,
  templatesFor,
  templateLabel,
} from "../../../src/features/templates/template_labels";

const label = (
  init: Parameters<typeof create<typeof TemplateSettingsSchema>>[1],
) => templateLabel(create(TemplateSettingsSchema, init));

describe("template labels", () => {
  it("are empty without limits", () => {
    expect(label({ name: "T" })).toEqual([]);
  });

  it("show each limit", () => {
    expect(
      label({
        partition: "main",
        gpuTypes: ["a100", "h200"],
        maxGpusPerNode: 2,
        maxNodes: 1,
        maxJobs: 3,
        maxWalltime: { seconds: 7200n },
        maxExtendedWalltime: { seconds: 14400n },
        cpusPerGpu: 8,
        memoryPerGpuMib: 65536n,
        images: ["base:1", "none"],
        account: "chem",
        qos: "low",
        reservation: "course",
        idleWarning: { seconds: 1800n },
        idleStop: { seconds: 600n },
        gpuIdle: {
          thresholdPercent: 2,
          warnAfter: { seconds: 3600n },
          actAfter: { seconds: 5400n },
          action: GpuIdlePolicy_Action.STOP,
        },
      }),
    ).toEqual([
      "partition main",
      "at most 2 a100 or h200 GPUs per node",
      "at most 1 node",
      "8 CPUs per GPU",
      "64 GiB per GPU",
      "at most 2 h",
      "extended to 4 h",
      "3 jobs at once",
      "only base:1, No container (host system)",
      "in reservation course",
      "QOS low",
      "account chem",
      "stopped after 40 min of inactivity",
      "stopped after 1 h 30 min with idle GPUs",
    ]);
    expect(
      label({
        gpuIdle: {
          warnAfter: { seconds: 3600n },
          action: GpuIdlePolicy_Action.WARN_ONLY,
        },
      }),
    ).toEqual(["warning after 1 h with idle GPUs"]);
    expect(
      label({
        gpuIdle: {
          warnAfter: { seconds: 3600n },
          actAfter: { seconds: 5400n },
          action: GpuIdlePolicy_Action.SHRINK,
        },
      }),
    ).toEqual([
      "idle nodes returned after 1 h 30 min, job stopped when all GPUs are idle",
    ]);
  });

  it.each([
    [{ noGpus: true }, "no GPUs"],
    [{ gpuTypes: ["a100"] }, "GPUs a100"],
    [{ maxGpusPerNode: 1 }, "at most 1 GPU per node"],
  ])("speaks of GPUs: %j", (init, text) => {
    expect(label(init)).toEqual([text]);
  });
});

describe("the templates of a job", () => {
  const one = (id: string, init: object) =>
    create(TemplateSchema, { id, ...init });
  const all = [
    one("a", { everybody: true }),
    one("b", { projects: ["p"] }),
    one("c", { projects: ["p"], retired: true }),
    one("d", { everybody: true, projects: ["p"] }),
  ];
  const ids = (project: string) =>
    templatesFor(all, project).map(({ id }) => id);

  it("are those of its project or of users without one", () => {
    expect(ids("p")).toEqual(["b", "d"]);
    expect(ids("")).toEqual(["a", "d"]);
    expect(ids("q")).toEqual([]);
  });

  it("show who may use them", () => {
    expect(all.map(audienceLabel)).toEqual([
      "for all users without a project",
      "for 1 project",
      "for 1 project",
      "for all users without a project and 1 project",
    ]);
    expect(audienceLabel(one("e", {}))).toBe("not assigned");
  });
});
