import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { DependencyKind, JobSpecSchema } from "#proto/jobs";
import { presetSpecOf } from "../../../../src/features/start/form/preset_spec";

it("a preset has nothing that belongs to one job only", () => {
  const preset = presetSpecOf(
    create(JobSpecSchema, {
      linkedTo: "a23456789abcdefg",
      builds: "torch:1",
      startAt: timestampFromMs(Date.now() + 3_600_000),
      batch: {
        command: "run",
        dependencies: [
          { job: "b23456789abcdefg", kind: DependencyKind.AFTER_OK },
        ],
      },
    }),
  );
  expect(preset.linkedTo).toBe("");
  expect(preset.builds).toBe("");
  expect(preset.startAt).toBeUndefined();
  expect(preset.batch?.dependencies).toEqual([]);
});

it("a preset has the resources and the program of the job", () => {
  const preset = presetSpecOf(
    create(JobSpecSchema, {
      name: "sweep",
      gpusPerNode: 2,
      gpuType: "h200",
      walltime: { seconds: 3600n },
      batch: { command: "run", array: "0-9%2" },
    }),
  );
  expect(preset).toMatchObject({
    name: "sweep",
    gpusPerNode: 2,
    gpuType: "h200",
    walltime: { seconds: 3600n },
    batch: { command: "run", array: "0-9%2" },
  });
});
