// What a dry run says about last week's jobs.
import type { DryRun } from "#proto/dry_run";
import { formatDay, msOf } from "../../lib/format/moment";
import { messages } from "#messages/dry_run";

export type DryRunCounts = Pick<
  DryRun,
  "examinedJobs" | "refusedJobs" | "unknownJobs" | "truncated" | "since"
>;

// One sentence with the numbers.
export function summaryLabel(counts: DryRunCounts): string {
  const { examinedJobs: examined, refusedJobs: refused } = counts;
  if (examined === 0) return messages.noJobs;
  if (refused === 0) return messages.noneRefused({ examined });
  return messages.someRefused({ refused, examined });
}

// What the numbers do not cover.
export function caveats(counts: DryRunCounts): readonly string[] {
  const since = msOf(counts.since);
  const lines: string[] = [];
  if (counts.truncated && since !== undefined) {
    lines.push(messages.onlySince({ day: formatDay(since) }));
  }
  if (counts.unknownJobs > 0) {
    lines.push(messages.groupsUnknown({ count: counts.unknownJobs }));
  }
  return lines;
}
