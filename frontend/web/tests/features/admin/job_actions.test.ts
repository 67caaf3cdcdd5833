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

describe("the administrator's actions on a job", () => {
  it("are empty for a stopping or ended job", () => {
    expect(actions(JobState.STOPPING)).toEqual([]);
    expect(actions(JobState.ENDED)).toEqual([]);
  });

  it("depend on the state", () => {
    expect(actions(JobState.SUBMITTING)).toEqual(["stop"]);
    expect(actions(JobState.PENDING)).toEqual(["hold", "stop"]);
    expect(actions(JobState.PENDING, true)).toEqual(["release", "stop"]);
    expect(actions(JobState.READY)).toEqual(["log", "extend", "stop"]);
  });

  it("state that the owner sees the reason", () => {
    for (const label of Object.values(kJobActions)) {
      expect(label.text).toContain("The owner sees the reason");
    }
  });

  it("accept whole minutes only", () => {
    for (const text of ["", "0", "-5", "1.5", "1e9", "an hour"]) {
      expect(minutesOf(text)).toBeUndefined();
    }
    expect(minutesOf(" 90 ")).toBe(90);
  });
});
