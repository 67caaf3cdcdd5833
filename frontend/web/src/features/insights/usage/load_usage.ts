// Loads the usage of a period: its sums, those of the period before, and those
// of each step.
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { GetUsageResponse } from "#proto/history";
import { mapLimited } from "../../../lib/map_limited";
import { type Bucket, bucketsOf, periodBefore } from "./usage_buckets";

export interface UsageOfPeriod {
  readonly total: GetUsageResponse;
  readonly before: GetUsageResponse;
  readonly buckets: readonly Bucket[];
  readonly parts: readonly GetUsageResponse[]; // one for each bucket
}

// Requests at a time: others of this browser must not wait for them.
const kParallel = 4;

export async function loadUsage(
  getUsage: (of: {
    from: Timestamp;
    to?: Timestamp;
  }) => Promise<GetUsageResponse>,
  span: string,
  now: number,
): Promise<UsageOfPeriod> {
  const buckets = bucketsOf(span, now);
  const from = buckets[0]!.fromMs;
  const periods = [{ fromMs: from, toMs: now }, periodBefore(from, now)];
  const [total, before, ...parts] = await mapLimited(
    [...periods, ...buckets],
    kParallel,
    ({ fromMs, toMs }) =>
      getUsage({
        from: timestampFromMs(fromMs),
        // Without `to` it is the server's time, which may be earlier.
        ...(toMs < now && { to: timestampFromMs(toMs) }),
      }),
  );
  return { total: total!, before: before!, buckets, parts };
}
