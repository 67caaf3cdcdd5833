import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSpecSchema } from "#proto/jobs";
import { exactMib, formOf } from "../../../../src/features/start/form/spec_to_form";
import { specOf } from "../../../../src/features/start/form/start_form";

describe("the form of a spec", () => {
  it("stands for that very spec", () => {
    const spec = create(JobSpecSchema, {
      name: "Nachtlauf 🌙",
      nodes: 2,
      gpusPerNode: 4,
      gpuType: "a100",
      cpusPerNode: 13,
      memoryPerNode: 12345n,
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
    });
    const again = specOf(formOf(spec));
    expect(again.mistakes).toEqual([]);
    expect(toJson(JobSpecSchema, again.spec)).toEqual(
      toJson(JobSpecSchema, spec),
    );
  });

  it("of nothing has the fewest", () => {
    expect(formOf(create(JobSpecSchema))).toMatchObject({
      nodes: "1",
      gpusPerNode: "0",
      walltime: "",
      memoryPerNode: "",
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
