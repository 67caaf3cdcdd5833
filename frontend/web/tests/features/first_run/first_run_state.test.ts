import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { JobSchema, JobState } from "#proto/jobs";
import {
  mayBeFirstRun,
  stepOf,
} from "../../../src/features/first_run/first_run_state";

const jobIn = (state: JobState) => create(JobSchema, { id: "a", state });

test("first run: a person with an ended or a second job has no guide", () => {
  expect(mayBeFirstRun([jobIn(JobState.ENDED)])).toBe(false);
  const two = [jobIn(JobState.READY), jobIn(JobState.PENDING)];
  expect(mayBeFirstRun(two)).toBe(false);
});

test("first run: the guide follows the first job until it can be opened", () => {
  expect([mayBeFirstRun([]), stepOf([])]).toEqual([true, "start"]);
  expect(stepOf([jobIn(JobState.PENDING)])).toBe("wait");
  expect(stepOf([jobIn(JobState.STARTING)])).toBe("wait");
  expect(stepOf([jobIn(JobState.READY)])).toBe("open");
});
