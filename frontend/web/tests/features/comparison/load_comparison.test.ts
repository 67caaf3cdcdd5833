import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  type ComparisonSource,
  loadComparison,
} from "../../../src/features/comparison/load_comparison";
import { kFromMs, loaded } from "../metrics/sample_metrics";
import { compared } from "./sample_jobs";

const [short, long, pending] = compared({ ranS: 60 }, { ranS: 9000 }, {});
const kJobs = [short!, long!, pending!];

function source(more: Partial<ComparisonSource> = {}): ComparisonSource {
  return {
    find: (id) => Promise.resolve(kJobs.find(({ job }) => job.id === id)),
    receipt: () => Promise.reject(new ConnectError("no", Code.NotFound)),
    metrics: () => Promise.reject(new ConnectError("no", Code.NotFound)),
    ...more,
  };
}

const load = (ids: string[], more: Partial<ComparisonSource> = {}) =>
  loadComparison(ids, source(more), kFromMs + 1e7);

describe("loading a comparison", () => {
  it("has no job if one of them may not be seen, and asks nothing more", async () => {
    const asked: string[] = [];
    const found = await load(["job0", "other"], {
      receipt: ({ id }) => {
        asked.push(id);
        return Promise.resolve(undefined);
      },
    });
    expect(found).toEqual({ missing: ["other"], jobs: [] });
    expect(asked).toEqual([]);
  });

  it("fails when the session has ended", async () => {
    const ended = new ConnectError("log in", Code.Unauthenticated);
    await expect(
      load(["job0", "job1"], { receipt: () => Promise.reject(ended) }),
    ).rejects.toThrow("log in");
  });

  it("says why there are no samples of a job", async () => {
    const reasons = async (code: Code) =>
      (
        await load(["job0", "job2"], {
          receipt: () => Promise.reject(new ConnectError("away", code)),
        })
      ).jobs.map(({ noReceipt }) => noReceipt);
    expect(await reasons(Code.NotFound)).toEqual([
      "There are no samples of this job.",
      "has not started",
    ]);
    expect((await reasons(Code.FailedPrecondition))[0]).toMatch(
      /does not record/,
    );
    expect((await reasons(Code.Unavailable))[0]).toBe("away");
  });

  it("asks for the values of all jobs in the same steps", async () => {
    const steps: number[] = [];
    const { jobs } = await load(["job0", "job1"], {
      metrics: (_, stepS) => {
        steps.push(stepS);
        return Promise.resolve(
          loaded(stepS, { name: "carme_job_memory_bytes", values: [1] }),
        );
      },
    });
    expect(steps).toEqual([10, 10]);
    expect(jobs.map(({ grid }) => grid?.length)).toEqual([1, 1]);
  });
});
