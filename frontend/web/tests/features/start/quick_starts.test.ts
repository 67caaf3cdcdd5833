import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { type Job, JobSpecSchema, JobState } from "#proto/jobs";
import { PresetSchema } from "#proto/preset";
import { formToSpec } from "../../../src/features/start/form/start_form";
import { quickStarts } from "../../../src/features/start/quick_starts";
import { sampleJob } from "../jobs/sample_job";

const cluster = create(GetClusterResponseSchema, {
  gpuTypes: [{ type: "h200", total: 2 }],
  apps: [
    { id: "jupyter", name: "JupyterLab", icon: "jupyter" },
    { id: "notebook", name: "Notebook", icon: "jupyter" },
    { id: "code", name: "VS Code", icon: "code" },
    { id: "shell", name: "Terminal", icon: "terminal" },
  ],
});

type Spec = MessageInitShape<typeof JobSpecSchema>;
const lab: Spec = {
  name: "jupyter",
  app: "jupyter",
  nodes: 1,
  gpusPerNode: 2,
  gpuType: "h200",
  walltime: { seconds: 3600n },
};
const job = (spec: Spec): Job =>
  sampleJob(spec.name ?? "", JobState.ENDED, {
    spec: create(JobSpecSchema, spec),
  });
const preset = (name: string, spec: Spec) =>
  create(PresetSchema, { name, spec: create(JobSpecSchema, spec) });
const titles = (
  jobs: readonly Job[],
  presets = [] as ReturnType<typeof preset>[],
) =>
  quickStarts(jobs, presets, cluster).map(({ kind, title }) => [kind, title]);

describe("the tiles", () => {
  it("offer no job that the form cannot start", () => {
    const jobs = [
      job({ ...lab, name: "nodes", linkedTo: "other" }),
      job({ ...lab, name: "build", builds: "me/image:1" }),
      job({ ...lab, name: "gone", app: "removed" }),
    ];
    expect(titles(jobs)).toEqual(titles([]));
  });

  it("are three apps of different kinds at first", () => {
    expect(titles([])).toEqual([
      ["app", "JupyterLab"],
      ["app", "VS Code"],
      ["app", "Terminal"],
    ]);
  });

  it("begin with the last two different configurations", () => {
    const jobs = [
      job({ ...lab, name: "first" }),
      job({ ...lab, name: "same size" }),
      job({ ...lab, gpusPerNode: 1 }),
      job({ ...lab, gpusPerNode: 0 }),
    ];
    expect(titles(jobs)).toEqual([
      ["last", "first"],
      ["last", "JupyterLab"],
      ["app", "VS Code"],
    ]);
  });

  it("show the command of a batch job without a name", () => {
    const batch = {
      ...lab,
      name: "batch",
      app: "",
      batch: { command: "make" },
    };
    expect(titles([job(batch)])[0]).toEqual(["last", "make"]);
  });

  it("show a saved configuration once, under its name", () => {
    expect(titles([job(lab)], [preset("two H200", lab)])).toEqual([
      ["preset", "two H200"],
      ["app", "VS Code"],
      ["app", "Terminal"],
    ]);
  });

  it("are at most six", () => {
    const presets = Array.from({ length: 9 }, (_, i) =>
      preset(`preset ${i}`, { ...lab, nodes: i + 1 }),
    );
    expect(titles([], presets)).toHaveLength(6);
  });

  it("start exactly what was started before, at once", () => {
    const soon = { seconds: BigInt(Math.floor(Date.now() / 1000) + 3600) };
    const [tile] = quickStarts([job({ ...lab, startAt: soon })], [], cluster);
    const { spec, parseErrors } = formToSpec(tile!.form);
    expect(parseErrors).toEqual([]);
    expect(spec.startAt).toBeUndefined();
    expect(spec).toMatchObject({
      app: "jupyter",
      gpusPerNode: 2,
      gpuType: "h200",
    });
    expect(tile?.detail).toBe("2 × h200 · 1 h");
  });
});
