// Loads the usage of a period: its sums, those of the period before, and those
// of each step.
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { GetUsageResponse, UsageStep } from "#proto/history";
import { type Bucket, bucketsOf, periodBefore } from "./usage_buckets";

export interface UsageOfPeriod {
  readonly total: GetUsageResponse;
  readonly before: GetUsageResponse;
  readonly buckets: readonly Bucket[];
  readonly parts: readonly UsageStep[]; // one for each bucket
}

// Both calls share a request.
export async function loadUsage(
  getUsage: (of: {
    from: Timestamp;
    to?: Timestamp;
    stepStarts?: Timestamp[];
  }) => Promise<GetUsageResponse>,
  span: string,
  now: number,
): Promise<UsageOfPeriod> {
  const buckets = bucketsOf(span, now);
  const from = buckets[0]!.fromMs;
  const earlier = periodBefore(from, now);
  const [total, before] = await Promise.all([
    getUsage({
      // Without `to` it is the server's time, which may be earlier.
      from: timestampFromMs(from),
      stepStarts: buckets.map(({ fromMs }) => timestampFromMs(fromMs)),
    }),
    getUsage({
      from: timestampFromMs(earlier.fromMs),
      to: timestampFromMs(earlier.toMs),
    }),
  ]);
  return { total, before, buckets, parts: total.steps };
}
