import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { StartEstimateSchema, JobSpecSchema } from "#proto/jobs";
import {
  fieldsOf,
  startEstimateLabel,
} from "../../../../src/features/start/form/start_estimate_labels";

const kNow = Date.UTC(2026, 10, 22, 12);

describe("the start estimate label", () => {
  it("is undefined without an estimate", () => {
    expect(
      startEstimateLabel(create(StartEstimateSchema), kNow),
    ).toBeUndefined();
  });

  it("shows a problem in neutral tone", () => {
    const estimate = create(StartEstimateSchema, { problem: "Not asked." });
    expect(startEstimateLabel(estimate, kNow)).toEqual({
      text: "Not asked.",
      tone: "neutral",
      icon: "alert",
    });
  });

  it("shows now only if Slurm does", () => {
    const startsAt = timestampFromMs(kNow);
    const now = { sentence: "Starts now on n2.", now: true, startsAt };
    expect(
      startEstimateLabel(create(StartEstimateSchema, now), kNow)?.tone,
    ).toBe("good");
    const behind = create(StartEstimateSchema, { ...now, now: false });
    expect(startEstimateLabel(behind, kNow)).toMatchObject({
      text: "Starts now on n2.",
      tone: "wait",
    });
  });

  it("uses the browser's time zone", () => {
    const lazy = create(StartEstimateSchema, {
      sentence: "Starts in about 2 h.",
      startsAt: timestampFromMs(kNow + 2 * 3_600_000),
    });
    expect(startEstimateLabel(lazy, kNow)?.text).toMatch(
      /^Starts in about 2 h\. Expected at about .*\d\d:\d\d\.$/,
    );
  });
});

describe("an alternative", () => {
  it("changes only smaller numbers", () => {
    const instead = create(JobSpecSchema, {
      gpusPerNode: 1,
      nodes: 2,
      cpusPerNode: 8,
      walltime: { seconds: 5400n },
    });
    expect(fieldsOf(instead)).toEqual([
      ["gpusPerNode", "1"],
      ["nodes", "2"],
      ["walltime", "1 h 30 min"],
    ]);
  });
});
