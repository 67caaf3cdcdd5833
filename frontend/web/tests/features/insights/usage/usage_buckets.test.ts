import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { loadUsage } from "../../../../src/features/insights/usage/load_usage";
import { GetUsageResponseSchema } from "#proto/history";
import {
  bucketsOf,
  periodBefore,
} from "../../../../src/features/insights/usage/usage_buckets";

const kNow = new Date(2026, 10, 22, 15, 30).getTime();
const date = (ms: number) => {
  const at = new Date(ms);
  return `${at.getMonth() + 1}/${at.getDate()}`;
};
const edges = (span: string) => {
  const buckets = bucketsOf(span, kNow);
  const last = buckets[buckets.length - 1]!;
  return [
    buckets.length,
    date(buckets[0]!.fromMs),
    date(last.fromMs),
    date(last.toMs),
  ];
};

describe("the steps of a period", () => {
  it("are those of 30 days for an unknown period", () => {
    expect(edges("other")).toEqual(edges("month"));
  });
  it("are local days up to today", () => {
    expect(edges("week")).toEqual([7, "11/16", "11/22", "11/23"]);
    expect(edges("month")).toEqual([30, "10/24", "11/22", "11/23"]);
  });
  it("are weeks that end with today, and calendar months", () => {
    expect(edges("quarter")).toEqual([13, "8/24", "11/16", "11/23"]);
    expect(edges("year")).toEqual([12, "12/1", "11/1", "12/1"]);
  });
  it("follow each other without a gap", () => {
    for (const span of ["week", "month", "quarter", "year"]) {
      const buckets = bucketsOf(span, kNow);
      buckets
        .slice(1)
        .forEach(({ fromMs }, at) => expect(fromMs).toBe(buckets[at]!.toMs));
    }
  });
});

describe("the period before", () => {
  it("is as long as the period until now", () => {
    expect(periodBefore(1000, 1600)).toEqual({ fromMs: 400, toMs: 1000 });
  });
});

describe("the usage of a period", () => {
  it("is asked for with its steps, and for the time before", async () => {
    const asked: string[] = [];
    const { buckets, parts } = await loadUsage(
      ({ from, to, stepStarts = [] }) => {
        const end = to ? date(timestampMs(to)) : "now";
        const steps = stepStarts.map((start) => date(timestampMs(start)));
        asked.push([date(timestampMs(from)), end, ...steps].join(" "));
        return Promise.resolve(
          create(GetUsageResponseSchema, { steps: stepStarts.map(() => ({})) }),
        );
      },
      "week",
      kNow,
    );
    expect(parts).toHaveLength(buckets.length);
    expect(asked).toEqual([
      "11/16 now 11/16 11/17 11/18 11/19 11/20 11/21 11/22",
      "11/9 11/16",
    ]);
  });
});
