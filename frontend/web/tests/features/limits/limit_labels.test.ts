import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  LimitMetric,
  LimitRuleSchema,
  LimitUseSchema,
  SlurmLimitSchema,
} from "#proto/limit";
import {
  kAllMetrics,
  levelOf,
  metricLabel,
  noteLabel,
  shareOf,
  slurmUsageLabel,
  usageLabel,
} from "../../../src/features/limits/limit_labels";

function use(
  metric: LimitMetric,
  max: number | undefined,
  used = 0,
  spent = 0,
) {
  return create(LimitUseSchema, {
    rule: create(LimitRuleSchema, {
      metric,
      source: "user ada",
      setBy: "carol",
      ...(max !== undefined && { max: BigInt(max) }),
    }),
    used,
    spent,
  });
}

describe("a limit", () => {
  it("has a label for every metric and scope", () => {
    const label = kAllMetrics.map(([metric]) => metricLabel(metric));
    expect(new Set(label).size).toBe(11);
    expect(label).not.toContain("Unknown");
  });

  it("has no bar if it applies to single jobs", () => {
    for (const metric of [
      LimitMetric.GPUS_PER_JOB,
      LimitMetric.NODES_PER_JOB,
      LimitMetric.WALLTIME,
    ]) {
      expect(shareOf(use(metric, 4))).toBeUndefined();
      expect(levelOf(use(metric, 4))).toBe("none");
    }
    expect(usageLabel(use(LimitMetric.WALLTIME, 480))).toBe("at most 8 h");
    expect(usageLabel(use(LimitMetric.GPUS_PER_JOB, 4))).toBe("at most 4");
  });

  it("shows the usage", () => {
    expect(usageLabel(use(LimitMetric.GPUS, 4, 3))).toBe("3 of 4");
    expect(usageLabel(use(LimitMetric.GPU_HOURS, 1000, 12.34))).toBe(
      "12.3 of 1,000",
    );
    expect(usageLabel(use(LimitMetric.GPUS, undefined, 3))).toBe(
      "3 used, no limit",
    );
  });

  it("warns before it is used up", () => {
    expect(levelOf(use(LimitMetric.GPUS, 10, 7))).toBe("fine");
    expect(levelOf(use(LimitMetric.GPUS, 10, 8))).toBe("tight");
    expect(levelOf(use(LimitMetric.GPUS, 10, 10))).toBe("over");
    expect(levelOf(use(LimitMetric.GPUS, 10, 20))).toBe("over");
    expect(levelOf(use(LimitMetric.GPUS, 0))).toBe("over");
    expect(levelOf(use(LimitMetric.GPUS, undefined, 20))).toBe("none");
  });

  it("shows reserved share, source and expiry", () => {
    const hours = use(LimitMetric.GPU_HOURS_PER_DAY, 48, 12, 10);
    hours.windowEndsAt = timestampFromMs(1000);
    hours.rule!.expiresAt = timestampFromMs(2000);
    hours.rule!.note = "for the paper";
    expect(noteLabel(hours, (ms) => `at ${ms}`)).toEqual([
      "2 of it reserved for running and pending jobs",
      "resets at 1000",
      "for user ada",
      "set by carol",
      "until at 2000",
      "for the paper",
    ]);
    const configured = use(LimitMetric.GPUS, 4, 1);
    configured.rule!.setBy = "";
    configured.rule!.source = "role user";
    expect(noteLabel(configured, String)).toEqual([
      "for role user",
      "from the site configuration",
    ]);
  });
});

describe("a Slurm limit", () => {
  it("shows usage only if Slurm reports it", () => {
    const limit = create(SlurmLimitSchema, { max: 4n });
    expect(slurmUsageLabel(limit)).toBe("4");
    limit.used = 3n;
    expect(slurmUsageLabel(limit)).toBe("3 of 4");
  });
});
