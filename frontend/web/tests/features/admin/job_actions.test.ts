import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSchema, JobState } from "#proto/jobs";
import {
  jobActions,
  kJobActions,
  minutesOf,
} from "../../../src/features/admin/job_actions";

const actions = (state: JobState, held = false) =>
  jobActions(create(JobSchema, { state, held }));

describe("what an administrator can do with a job", () => {
  it("is nothing when the job ends or has ended", () => {
    expect(actions(JobState.STOPPING)).toEqual([]);
    expect(actions(JobState.ENDED)).toEqual([]);
  });

  it("follows the job's state", () => {
    expect(actions(JobState.SUBMITTING)).toEqual(["stop"]);
    expect(actions(JobState.PENDING)).toEqual(["hold", "stop"]);
    expect(actions(JobState.PENDING, true)).toEqual(["release", "stop"]);
    expect(actions(JobState.READY)).toEqual(["log", "extend", "stop"]);
  });

  it("says that the owner reads the reason", () => {
    for (const label of Object.values(kJobActions)) {
      expect(label.text).toContain("The owner sees the reason");
    }
  });

  it("extends by whole minutes", () => {
    for (const text of ["", "0", "-5", "1.5", "1e9", "an hour"]) {
      expect(minutesOf(text)).toBeUndefined();
    }
    expect(minutesOf(" 90 ")).toBe(90);
  });
});
