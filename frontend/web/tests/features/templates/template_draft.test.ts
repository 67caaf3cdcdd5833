import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GpuIdlePolicy_Action } from "#proto/gpu_idle";
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
    expect(() => draftToSettings(draft)).toThrow(
      expect.objectContaining({
        field,
        message: expect.stringContaining(message),
      }),
    );
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

  it.each([
    ["gpuIdleThreshold", "two", 'Invalid value "two"'],
    [
      "gpuIdleAct",
      "soon",
      'Invalid value "soon". Enter a time such as 30 min or 90 s',
    ],
  ])("does not read %s %j of idle GPUs", (field, text, message) => {
    const draft = {
      ...draftOf(undefined),
      gpuIdleAction: GpuIdlePolicy_Action.STOP,
      [field]: text,
    };
    expect(() => draftToSettings(draft)).toThrow(
      expect.objectContaining({
        field,
        message: expect.stringContaining(message),
      }),
    );
  });

  it("reads of idle GPUs what the action needs", () => {
    const draft = {
      ...draftOf(undefined),
      name: "T",
      gpuIdleWarning: "1 h",
      gpuIdleAct: "90 min",
    };
    const read = (gpuIdleAction: GpuIdlePolicy_Action) =>
      draftToSettings({ ...draft, gpuIdleAction });
    expect(read(GpuIdlePolicy_Action.UNSPECIFIED).gpuIdle).toBe(undefined);
    expect(read(GpuIdlePolicy_Action.WARN_ONLY)).toEqual(
      create(TemplateSettingsSchema, {
        name: "T",
        gpuIdle: {
          thresholdPercent: 2,
          warnAfter: { seconds: 3600n },
          action: GpuIdlePolicy_Action.WARN_ONLY,
        },
      }),
    );
    const stops = read(GpuIdlePolicy_Action.STOP);
    expect(stops.gpuIdle?.actAfter?.seconds).toBe(5400n);
    expect(draftToSettings(draftOf(stops))).toEqual(stops);
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
