import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { JobSummarySchema } from "#proto/findings";
import {
  GetUsageResponseSchema,
  HistoryJobSchema,
  ListHistoryResponseSchema,
} from "#proto/history";
import {
  loadSummary,
  type SummarySource,
} from "../../../src/features/summary/load_summary";

// Pages of 150 jobs.
function source(
  pages: number,
  summarize: SummarySource["summarize"],
): SummarySource {
  return {
    usage: () => Promise.resolve(create(GetUsageResponseSchema)),
    jobs: (token) => {
      const page = Number(token || "0");
      return Promise.resolve(
        create(ListHistoryResponseSchema, {
          jobs: Array.from({ length: 150 }, (_, at) =>
            create(HistoryJobSchema, {
              id: `j${page * 150 + at}`,
              gpuSeconds: 10n,
              startedAt: timestampFromMs(1000),
            }),
          ),
          nextPageToken: page + 1 < pages ? String(page + 1) : "",
        }),
      );
    },
    summarize,
  };
}

const measured = (ids: string[]) =>
  Promise.resolve(
    ids.map((jobId) =>
      create(JobSummarySchema, { jobId, score: { mean: 0.5 } }),
    ),
  );

describe("loading a summary", () => {
  it("fails when the session has ended", async () => {
    const ended = new ConnectError("log in", Code.Unauthenticated);
    await expect(
      loadSummary(source(1, () => Promise.reject(ended))),
    ).rejects.toThrow("log in");
  });

  it("says why there are no metrics, and takes a part of them for none", async () => {
    let calls = 0;
    const summary = await loadSummary(
      source(1, (ids) =>
        ++calls > 1
          ? Promise.reject(new ConnectError("away", Code.Unavailable))
          : measured(ids),
      ),
    );
    expect(summary.noMetrics).toBe("away");
    expect(summary.sums.measured).toBe(0);
    expect(summary.sums.meanScore).toBeUndefined();
  });

  it("asks for at most a hundred jobs at once", async () => {
    const asked: number[] = [];
    const summary = await loadSummary(
      source(2, (ids) => {
        asked.push(ids.length);
        return measured(ids);
      }),
    );
    expect(asked).toEqual([100, 100, 100]);
    expect(summary).toMatchObject({ read: 300, isPart: false, noMetrics: "" });
    expect(summary.sums).toMatchObject({ measured: 300, meanScore: 0.5 });
  });

  it("says that it stops after 25 pages", async () => {
    const summary = await loadSummary(source(100, measured));
    expect(summary).toMatchObject({ read: 25 * 150, isPart: true });
  });
});
