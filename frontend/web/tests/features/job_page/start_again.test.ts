import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { JobSpecSchema, JobState } from "#proto/jobs";
import {
  mayStartAgain,
  specOfTasks,
} from "../../../src/features/job_page/start_again";
import { sampleJob } from "../jobs/sample_job";

const jobOf = (spec: object) =>
  sampleJob("a", JobState.ENDED, { spec: create(JobSpecSchema, spec) });

it("a job of additional nodes or of an image cannot be started again", () => {
  expect(mayStartAgain(jobOf({ linkedTo: "b" }))).toBe(false);
  expect(mayStartAgain(jobOf({ builds: "torch:1" }))).toBe(false);
  expect(mayStartAgain(jobOf({}))).toBe(true);
});

it("an array can be started with some of its tasks, otherwise as it was", () => {
  const job = jobOf({
    name: "sweep",
    batch: { command: "run", array: "0-9%2" },
  });
  const spec = specOfTasks(job, [1, 2]);
  expect(spec.batch?.array).toBe("1-2%2");
  expect(spec.batch?.command).toBe("run");
  expect(spec.name).toBe("sweep");
  expect(job.spec?.batch?.array).toBe("0-9%2");
});
