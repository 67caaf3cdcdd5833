import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSchema, JobState } from "#proto/jobs";
import { jobActs, kJobActs, minutesOf } from "../../../src/features/admin/job_actions";

const acts = (state: JobState, held = false) =>
  jobActs(create(JobSchema, { state, held }));

describe("what an administrator can do with a job", () => {
  it("is nothing when the job ends or has ended", () => {
    expect(acts(JobState.STOPPING)).toEqual([]);
    expect(acts(JobState.ENDED)).toEqual([]);
  });

  it("follows the job's state", () => {
    expect(acts(JobState.SUBMITTING)).toEqual(["stop"]);
    expect(acts(JobState.PENDING)).toEqual(["hold", "stop"]);
    expect(acts(JobState.PENDING, true)).toEqual(["release", "stop"]);
    expect(acts(JobState.READY)).toEqual(["log", "extend", "stop"]);
  });

  it("says that the owner reads the reason", () => {
    for (const words of Object.values(kJobActs)) {
      expect(words.text).toContain("The owner reads the reason");
    }
  });

  it("extends by whole minutes", () => {
    for (const text of ["", "0", "-5", "1.5", "1e9", "an hour"]) {
      expect(minutesOf(text)).toBeUndefined();
    }
    expect(minutesOf(" 90 ")).toBe(90);
  });
});
