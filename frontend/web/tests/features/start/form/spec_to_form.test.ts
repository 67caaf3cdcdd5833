import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSpecSchema } from "#proto/jobs";
import {
  exactMib,
  specToForm,
} from "../../../../src/features/start/form/spec_to_form";
import { formToSpec } from "../../../../src/features/start/form/start_form";

describe("specToForm", () => {
  it("round-trips", () => {
    const spec = create(JobSpecSchema, {
      name: "Nachtlauf 🌙",
      description: "Größe 7, 2. Versuch",
      nodes: 2,
      gpusPerNode: 4,
      gpuType: "a100",
      cpusPerNode: 13,
      memoryPerNodeMib: 12345n,
      walltime: { seconds: 5400n },
      partition: "main",
      qos: "short",
      app: "jupyter",
      image: "base:1",
      project: "p23456789abcdefg",
      template: "t23456789abcdefg",
      stageIn: [{ from: "~/set", to: "set" }],
      stageOut: [
        { from: "a", to: "~/a" },
        { from: "b c", to: "/data/b c" },
      ],
      vetting: { requiredNodes: 2, resubmit: true },
      excludedNodes: ["n3", "gpu-7.site"],
    });
    const again = formToSpec(specToForm(spec));
    expect(again.parseErrors).toEqual([]);
    expect(toJson(JobSpecSchema, again.spec)).toEqual(
      toJson(JobSpecSchema, spec),
    );
  });

  it("separates spare nodes from those that the job needs", () => {
    const spec = create(JobSpecSchema, {
      nodes: 3,
      vetting: { requiredNodes: 2 },
    });
    const form = specToForm(spec);
    expect(form).toMatchObject({ nodes: "2", vetting: "1" });
    expect(formToSpec(form).spec).toMatchObject({
      nodes: 3,
      vetting: { requiredNodes: 2 },
    });
  });

  it("handles an empty spec", () => {
    expect(specToForm(create(JobSpecSchema))).toMatchObject({
      nodes: "1",
      gpusPerNode: "0",
      walltime: "",
      memoryPerNodeMib: "",
    });
  });

  it.each([
    [65536, "64 GiB"],
    [12345, "12345 MiB"],
    [0, ""],
  ])("rounds no memory: %d MiB", (mib, text) => {
    expect(exactMib(mib)).toBe(text);
  });
});
