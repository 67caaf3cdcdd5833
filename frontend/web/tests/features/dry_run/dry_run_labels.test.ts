import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { DryRunSchema } from "#proto/dry_run";
import {
  caveats,
  summaryLabel,
} from "../../../src/features/dry_run/dry_run_labels";

const counts = (
  examinedJobs: number,
  refusedJobs: number,
  more: { truncated?: boolean; unknownJobs?: number } = {},
) =>
  create(DryRunSchema, {
    examinedJobs,
    refusedJobs,
    since: timestampFromMs(Date.UTC(2026, 10, 22, 12)),
    ...more,
  });

describe("a dry run", () => {
  it("says that there was nothing to check", () => {
    expect(summaryLabel(counts(0, 0))).toBe("No jobs to check.");
  });

  it("says how many jobs were examined and refused", () => {
    expect(summaryLabel(counts(1, 0))).toBe(
      "The only job would not have been refused.",
    );
    expect(summaryLabel(counts(1200, 0))).toBe(
      "None of 1,200 jobs would have been refused.",
    );
    expect(summaryLabel(counts(1, 1))).toBe(
      "1 of 1 job would have been refused.",
    );
    expect(summaryLabel(counts(5000, 1234))).toBe(
      "1,234 of 5,000 jobs would have been refused.",
    );
  });

  it("says what it does not cover", () => {
    expect(caveats(counts(10, 2))).toEqual([]);
    const [since, unknown] = caveats(
      counts(5000, 2, { truncated: true, unknownJobs: 3 }),
    );
    expect(since).toContain("Only the newest jobs were checked");
    expect(unknown).toContain("3 jobs are not counted as refused");
  });
});
