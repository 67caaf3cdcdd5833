import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { HistoryJobSchema } from "#proto/history";
import { JobSchema } from "#proto/jobs";
import { earlierRuns } from "../../../src/features/comparison/earlier_runs";

const run = (id: string, name: string, hasRun = true) =>
  create(HistoryJobSchema, {
    id,
    spec: { name },
    ...(hasRun && { startedAt: timestampFromMs(1000) }),
  });

describe("earlier runs of a job", () => {
  it("are not itself, jobs of longer names, or jobs that did not run", () => {
    const job = create(JobSchema, { id: "a", spec: { name: "train" } });
    const found = earlierRuns(job, [
      run("a", "train"),
      run("b", "train"),
      run("c", "train-large"),
      run("d", "train", false),
      run("e", "train"),
    ]);
    expect(found.map(({ id }) => id)).toEqual(["b", "e"]);
  });
});
