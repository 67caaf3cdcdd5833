import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { JobEnd, JobState } from "#proto/jobs";
import { NotificationSchema } from "#proto/notification";
import { NodeEventSchema } from "#proto/samples";
import { eventRows } from "../../../src/features/job_page/event_rows";
import { kMinute, kNow, sampleJob } from "../jobs/sample_job";

const at = (minutes: number) => timestampFromMs(kNow + minutes * kMinute);

it("events of other jobs are not shown", () => {
  const job = sampleJob("a", JobState.PENDING);
  const other = create(NotificationSchema, {
    at: at(1),
    subject: "b",
    text: "Job b has ended.",
  });
  const rows = eventRows({ job, log: [], notifications: [other], nodes: [] });
  expect(rows.map(({ text }) => text)).toEqual(["Submitted to Slurm"]);
});

it("events of all sources are in order, the newest first", () => {
  const job = sampleJob("a", JobState.ENDED, {
    end: JobEnd.OUT_OF_MEMORY,
    startedAt: at(1),
    endsAt: at(5),
    nodes: ["n1"],
  });
  const rows = eventRows({
    job,
    log: [
      { atMs: kNow + 2 * kMinute, text: "started", isContainerStart: true },
    ],
    notifications: [
      create(NotificationSchema, {
        at: at(6),
        subject: "a",
        text: "It ended.",
      }),
    ],
    nodes: [
      create(NodeEventSchema, {
        timeMs: BigInt(kNow + 4 * kMinute),
        kind: "oom",
        text: "1 process was killed",
      }),
    ],
  });
  expect(rows.map(({ text, tone }) => [text, tone])).toEqual([
    ["It ended.", "info"],
    ["Ended: Out of memory", "bad"],
    ["1 process was killed", "bad"],
    ["started", "neutral"],
    ["Allocated: n1", "neutral"],
    ["Submitted to Slurm", "neutral"],
  ]);
});

it("a job is not allocated before it was submitted", () => {
  const job = sampleJob("a", JobState.READY, {
    startedAt: timestampFromMs(kNow - 400),
  });
  const rows = eventRows({ job, log: [], notifications: [], nodes: [] });
  expect(rows.map(({ text }) => text)).toEqual([
    "Allocated",
    "Submitted to Slurm",
  ]);
});
