import { describe, expect, it } from "vitest";
import { JobEnd, JobState } from "#proto/jobs";
import { announcements } from "../../../src/features/jobs/announcements";
import {
  applyWatch,
  kNoJobsYet,
} from "../../../src/features/jobs/job_list_state";
import { change, sampleJob, snapshot } from "./sample_job";

const pending = sampleJob("train", JobState.PENDING);
const before = applyWatch(kNoJobsYet, snapshot(pending));
const after = (job: typeof pending) => applyWatch(before, change(job));

describe("a screen reader", () => {
  it("gets no announcement for the first snapshot", () => {
    expect(announcements(kNoJobsYet, before)).toEqual([]);
  });

  it("gets no announcement for the first snapshot of another cluster", () => {
    const job = sampleJob("other", JobState.READY, { cluster: "beta" });
    const alpha = applyWatch(kNoJobsYet, snapshot(), "alpha");
    const beta = applyWatch(alpha, snapshot(job), "beta");
    expect(announcements(alpha, beta)).toEqual([]);
  });

  it("announces when a job becomes ready", () => {
    const ready = after(sampleJob("train", JobState.READY));
    expect(announcements(before, ready)).toEqual(["Job train: Ready."]);
  });

  it("announces how a job ended", () => {
    const ended = sampleJob("train", JobState.ENDED, {
      end: JobEnd.FAILED,
      exitCode: 2,
    });
    expect(announcements(before, after(ended))).toEqual([
      "Job train: Failed, exit code 2.",
    ]);
  });

  it("gets no announcement when only the reason changes", () => {
    const other = sampleJob("train", JobState.PENDING, { reason: "priority" });
    expect(announcements(before, after(other))).toEqual([]);
  });
});
