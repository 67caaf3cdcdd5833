import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { DurationSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { JobGpuSchema } from "#proto/gpu_idle";
import {
  JobIdleSchema,
  JobInUseSchema,
  JobState,
  LimitExcessSchema,
} from "#proto/jobs";
import {
  endsSoonLabel,
  extendableMinutes,
  extensionChoices,
  idleLabel,
  inUseLabel,
  mayHold,
  mayRelease,
  overLimitLabel,
  pendingExtensionLabel,
} from "../../../../src/features/jobs/actions/lifetime_labels";
import {
  parseStart,
  startText,
} from "../../../../src/features/start/form/start_time";
import { kMinute, kNow, sampleJob } from "../sample_job";

const at = (minutes: number) => timestampFromMs(kNow + minutes * kMinute);

describe("the lifetime of a job", () => {
  test("shows a pending extension", () => {
    const label = (seconds: bigint) =>
      pendingExtensionLabel(
        sampleJob("a", JobState.READY, {
          pendingExtension: create(DurationSchema, { seconds }),
        }),
      );
    expect(pendingExtensionLabel(sampleJob("a", JobState.READY))).toBe("");
    expect(label(0n)).toBe("");
    expect(label(1800n)).toBe(
      "Extension by 30 min saved. It takes effect when Slurm responds.",
    );
  });

  test("shows the exceeded limit and the consequence", () => {
    const label = (
      overLimit: MessageInitShape<typeof LimitExcessSchema>,
      held = false,
    ) =>
      overLimitLabel(
        sampleJob("a", JobState.PENDING, {
          held,
          overLimit: create(LimitExcessSchema, {
            violations: [{ message: "job requests 2 GPUs" }],
            ...overLimit,
          }),
        }),
        kNow,
      );
    expect(overLimitLabel(sampleJob("a", JobState.READY), kNow)).toBe("");
    const start =
      "This job was changed in Slurm and exceeds a limit: job requests 2 GPUs.";
    expect(label({})).toBe(`${start} Revert the change in Slurm.`);
    expect(label({}, true)).toBe(
      `${start} The job is held. Revert the change in Slurm, then release the job.`,
    );
    expect(label({ cancelAt: at(9.5) })).toBe(
      `${start} It will be cancelled in 10 min unless you revert the change in Slurm.`,
    );
    expect(label({ cancelAt: at(-1) })).toBe(`${start} It is being cancelled.`);
  });

  test("shows usage if reported", () => {
    const used = (init: MessageInitShape<typeof JobInUseSchema>) => {
      const inUse = create(JobInUseSchema, init);
      return inUseLabel(sampleJob("a", JobState.READY, { inUse }), kNow);
    };
    expect(inUseLabel(sampleJob("a", JobState.READY), kNow)).toBe("");
    expect(used({})).toBe("not open in a browser");
    expect(used({ connections: 1 })).toBe("1 open connection");
    expect(
      used({
        connections: 2,
        lastInput: at(-5),
        receivedBytes: 10n,
        sentBytes: 3n * 1024n * 1024n,
      }),
    ).toBe("2 open connections · last input 5 min ago · 3 MiB sent");
    // A clock that is ahead of ours.
    expect(used({ lastInput: at(1) })).toBe(
      "not open in a browser · last input just now",
    );
  });

  test("cannot be extended without the server's consent", () => {
    expect(extendableMinutes(sampleJob("a", JobState.READY))).toBe(0);
    expect(extensionChoices(0)).toEqual([]);
  });

  test("offers choices up to the maximum", () => {
    expect(extensionChoices(10)).toEqual([10]);
    expect(extensionChoices(60)).toEqual([15, 30, 60]);
    expect(extensionChoices(600)).toEqual([15, 30, 60, 120, 600]);
  });

  test("allows holding pending jobs and releasing held jobs", () => {
    const waits = sampleJob("a", JobState.PENDING, { slurmJobId: 7 });
    expect(mayHold(sampleJob("a", JobState.PENDING))).toBe(false);
    expect(mayHold(waits)).toBe(true);
    expect(mayRelease(waits)).toBe(false);
    const held = sampleJob("a", JobState.PENDING, {
      slurmJobId: 7,
      held: true,
    });
    expect(mayHold(held)).toBe(false);
    expect(mayRelease(held)).toBe(true);
    const runs = sampleJob("a", JobState.READY, { slurmJobId: 7, held: true });
    expect(mayHold(runs) || mayRelease(runs)).toBe(false);
  });

  test("warns before the end", () => {
    const runs = (left: number) =>
      sampleJob("a", JobState.READY, {
        startedAt: at(left - 60),
        endsAt: at(left),
      });
    expect(endsSoonLabel(runs(7), kNow)).toBe("");
    expect(endsSoonLabel(runs(6), kNow)).toBe(
      "This job ends in 6 min. Save your work.",
    );
    expect(endsSoonLabel(runs(0), kNow)).toBe("");
    expect(endsSoonLabel(sampleJob("a", JobState.PENDING), kNow)).toBe("");
  });

  test("shows idleness as reported by the server", () => {
    expect(idleLabel(sampleJob("a", JobState.READY), kNow)).toBe("");
    const idle = sampleJob("a", JobState.READY);
    idle.idle = create(JobIdleSchema, { since: at(-90) });
    expect(idleLabel(idle, kNow)).toBe(
      "This job has been idle for 1 h 30 min. Stop it if you no longer need its resources.",
    );
    idle.idle = create(JobIdleSchema, { since: at(-90), stopsAt: at(5) });
    expect(idleLabel(idle, kNow)).toMatch(
      /^This job has been idle for 1 h 30 min\. It is stopped at about \d\d:\d\d unless you use it\.$/,
    );
    idle.idle = create(JobIdleSchema, { since: at(-0.5) });
    expect(idleLabel(idle, kNow)).toMatch(
      /^This job has been idle for less than a minute\. /,
    );
    idle.state = JobState.STOPPING;
    expect(idleLabel(idle, kNow)).toBe("");
  });

  test("names idle GPUs", () => {
    const job = sampleJob("a", JobState.READY);
    const gpu = (node: string, name: string) =>
      create(JobGpuSchema, { node, gpu: name });
    job.idle = create(JobIdleSchema, {
      since: at(-90),
      gpus: [gpu("n1", "0")],
    });
    expect(idleLabel(job, kNow)).toBe(
      "The GPU of this job has been idle for 1 h 30 min (n1: 0). " +
        "Stop the job if it no longer needs GPUs.",
    );
    job.idle = create(JobIdleSchema, {
      since: at(-90),
      stopsAt: at(5),
      gpus: [gpu("n1", "0"), gpu("n1", "1"), gpu("n2", "0")],
    });
    expect(idleLabel(job, kNow)).toMatch(
      /^The GPUs of this job have been idle for 1 h 30 min \(n1: 0, 1; n2: 0\)\. The job is stopped at about \d\d:\d\d unless it uses a GPU\.$/,
    );
    job.idle.returnsNodes = true;
    expect(idleLabel(job, kNow)).toMatch(
      /^3 GPUs of this job have been idle for 1 h 30 min \(n1: 0, 1; n2: 0\)\. The nodes are returned at about \d\d:\d\d unless the job uses them; the job continues\.$/,
    );
    job.idle.gpus = [gpu("n2", "0")];
    expect(idleLabel(job, kNow)).toMatch(
      /^A GPU of this job has been idle for 1 h 30 min \(n2: 0\)\. Its node is returned at about \d\d:\d\d unless the job uses it; the job continues\.$/,
    );
    job.idle = create(JobIdleSchema, {
      since: at(-90),
      gpus: ["a", "b", "c", "d", "e"].map((node) => gpu(node, "0")),
    });
    expect(idleLabel(job, kNow)).toContain("(a: 0; b: 0; c: 0; d: 0; …)");
  });
});

describe("start time", () => {
  test("rejects invalid text", () => {
    for (const text of ["", "now", "2026-11-22", "2026-02-30T10:00", "x"]) {
      expect(parseStart(text)).toBeUndefined();
    }
  });

  test("uses the browser's time zone", () => {
    const ms = parseStart("2026-11-22T14:05");
    expect(ms).toBe(new Date(2026, 10, 22, 14, 5).getTime());
    expect(startText(ms!)).toBe("2026-11-22T14:05");
  });
});
