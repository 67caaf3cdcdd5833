import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { TemplateSettingsSchema } from "#proto/template";
import {
  checkable,
  draftOf,
  draftToSettings,
} from "../../../src/features/templates/template_draft";

describe("a template's form", () => {
  it.each([
    ["maxNodes", "two", 'Invalid value "two"'],
    ["maxGpusPerNode", "-1", 'Invalid value "-1"'],
    [
      "maxWalltime",
      "soon",
      'Invalid value "soon". Enter a time such as 45 min or 2 h',
    ],
    [
      "idleStop",
      "30 x",
      'Invalid value "30 x". Enter a time such as 30 min or 90 s',
    ],
    [
      "memoryPerGpuMib",
      "lots",
      'Invalid value "lots". Enter an amount such as 64 GiB',
    ],
  ])("does not read %s %j", (field, text, message) => {
    const draft = { ...draftOf(undefined), [field]: text };
    expect(() => draftToSettings(draft)).toThrow(message);
  });

  it("round-trips", () => {
    const settings = create(TemplateSettingsSchema, {
      name: "Übung",
      description: "For courses",
      partition: "main",
      gpuTypes: ["a100", "h200"],
      maxGpusPerNode: 2,
      maxNodes: 1,
      maxJobs: 3,
      maxWalltime: { seconds: 5400n },
      maxExtendedWalltime: { seconds: 14400n },
      cpusPerGpu: 8,
      memoryPerGpuMib: 12345n,
      images: ["base:1"],
      account: "chem",
      qos: "low",
      reservation: "course",
      idleWarning: { seconds: 1800n },
      idleStop: { seconds: 90n },
    });
    expect(draftToSettings(draftOf(settings))).toEqual(settings);
    const cpu = create(TemplateSettingsSchema, { name: "CPU", noGpus: true });
    expect(draftToSettings(draftOf(cpu))).toEqual(cpu);
  });

  it("has no limits if empty", () => {
    const draft = { ...draftOf(undefined), name: " T " };
    expect(draftToSettings(draft)).toEqual(
      create(TemplateSettingsSchema, { name: "T" }),
    );
  });
});

describe("what a dry run of a template depends on", () => {
  const named = { ...draftOf(undefined), name: "Courses" };

  it("is nothing without a name, or with a value that cannot be read", () => {
    expect(checkable(draftOf(undefined))).toBe("");
    expect(checkable({ ...named, maxNodes: "two" })).toBe("");
  });

  it("changes with the limits, not with the name", () => {
    expect(checkable(named)).not.toBe("");
    expect(checkable({ ...named, name: "Other" })).toBe(checkable(named));
    expect(checkable({ ...named, maxNodes: "2" })).not.toBe(checkable(named));
  });
});
