import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { JobFinding_Severity, JobFindingSchema } from "#proto/findings";
import { findingRow } from "../../../src/features/findings/finding_rows";

const kNow = new Date(2026, 10, 28, 12).getTime();

it("a finding says what, where, when, and from which samples", () => {
  const row = findingRow(
    create(JobFindingSchema, {
      rule: "gpu-idle",
      title: "GPU held idle",
      severity: JobFinding_Severity.WARNING,
      labels: { gpu: "0", node: "n1" },
      fromMs: BigInt(kNow - 3_600_000),
      heldS: 1800n,
      samples: [
        {
          subject: "carme_gpu_utilization_ratio",
          limit: "below 0.02",
          mean: 0.01234,
        },
        { subject: "event xid", limit: "", mean: 0 },
      ],
      remedy: "Stop the job.",
    }),
    kNow,
  );
  expect(row).toMatchObject({
    severity: "Warning",
    tone: "wait",
    where: "node n1 · gpu 0",
    when: "Since 11:00, for 30 min",
    samples: [
      "carme_gpu_utilization_ratio: 0.0123 (rule: below 0.02)",
      "event xid",
    ],
    isMuted: false,
  });
});

it("a finding has the title and remedy of its rule", () => {
  const row = findingRow(
    create(JobFindingSchema, {
      title: "GPU held idle",
      remedy: "Stop the job.",
      translations: { xx: { title: "X", remedy: "Y" } },
    }),
    kNow,
  );
  expect(row).toMatchObject({
    title: "GPU held idle",
    remedy: "Stop the job.",
  });
});

it("findings of the same rule on two GPUs are two rows", () => {
  const [first, second] = ["0", "1"].map((gpu) =>
    findingRow(
      create(JobFindingSchema, { rule: "gpu-idle", labels: { gpu } }),
      kNow,
    ),
  );
  expect(first?.key).not.toBe(second?.key);
  expect(first?.severity).toBe("Note");
});
