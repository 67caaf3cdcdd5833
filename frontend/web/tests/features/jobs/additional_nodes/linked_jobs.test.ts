import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { JobState, type Violation, ViolationSchema } from "#proto/jobs";
import {
  addNodesForm,
  addNodesSpec,
  placed,
} from "../../../../src/features/jobs/additional_nodes/add_nodes_form";
import {
  cardJobs,
  linkedJobsOf,
} from "../../../../src/features/jobs/additional_nodes/linked_jobs";
import { currentActivity } from "../../../../src/features/jobs/job_labels";
import { sampleJob } from "../sample_job";

const first = sampleJob("first", JobState.READY);
const joins = (id: string, of: string, state = JobState.READY) => {
  const job = sampleJob(id, state);
  job.spec!.linkedTo = of;
  return job;
};

describe("linked jobs", () => {
  it("are shown with their job, oldest first", () => {
    const jobs = [joins("c", "first"), joins("b", "first"), first];
    expect(linkedJobsOf(jobs, first).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(cardJobs(jobs).map(({ id }) => id)).toEqual(["first"]);
  });

  it("get a card of their own when their job has ended", () => {
    const over = sampleJob("first", JobState.ENDED);
    expect(cardJobs([joins("b", "first"), over]).map(({ id }) => id)).toEqual([
      "b",
    ]);
    const ended = joins("b", "first", JobState.ENDED);
    expect(linkedJobsOf([ended, first], first)).toEqual([]);
  });

  it("show their activity while starting", () => {
    expect(currentActivity(joins("b", "first", JobState.STARTING))).toBe(
      "Starting the environment on the nodes…",
    );
  });
});

describe("the form for additional nodes", () => {
  const cluster = create(GetClusterResponseSchema, {
    gpuTypes: [{ type: "a100", free: 1, total: 4 }],
  });
  const form = addNodesForm(cluster);

  it("defaults to one GPU and the remaining time", () => {
    const { spec, parseErrors } = addNodesSpec(form, first);
    expect(parseErrors).toEqual([]);
    expect(spec.linkedTo).toBe("first");
    expect([spec.gpusPerNode, spec.nodes]).toEqual([1, 1]);
    expect(spec.walltime).toBeUndefined();
    expect(spec.app).toBe("");
  });

  it("rejects invalid numbers and times", () => {
    const typed = { ...form, nodes: "two", walltime: "soon" };
    const { parseErrors } = addNodesSpec(typed, first);
    expect(parseErrors.map(({ field }) => field)).toEqual([
      "walltime",
      "nodes",
    ]);
  });

  it("drops the GPU type without GPUs", () => {
    const typed = { ...form, gpusPerNode: "0", gpuType: "a100" };
    expect(addNodesSpec(typed, first).spec.gpuType).toBe("");
  });

  it("shows violations of other fields at the bottom", () => {
    const violation = (field: string): Violation =>
      create(ViolationSchema, { field });
    const fields = placed([violation("partition"), violation("nodes")]);
    expect(fields.map(({ field }) => field)).toEqual(["", "nodes"]);
  });
});
