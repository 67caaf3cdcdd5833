import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import {
  type JobReceipt,
  JobReceiptSchema,
  JobResourcesSchema,
  ResourceUseSchema,
} from "#proto/findings";
import { JobSpecSchema } from "#proto/jobs";
import {
  energyLabel,
  idleNodesLabel,
  requestRows,
  smallerSpec,
  usedRows,
} from "../../../src/features/findings/receipt_rows";

const kGib = 1n << 30n;
const kSpec = create(JobSpecSchema, {
  name: "train",
  nodes: 2,
  gpusPerNode: 4,
  cpusPerNode: 32,
  memoryPerNodeMib: 65536n,
});

function receipt(enough: object | undefined): JobReceipt {
  return create(JobReceiptSchema, {
    asked: create(JobResourcesSchema, {
      nodes: 2,
      gpusPerNode: 4,
      cpusPerNode: 32,
      memoryBytesPerNode: 64n * kGib,
    }),
    ...(enough && { enough: create(JobResourcesSchema, enough) }),
  });
}

it("what is not known is no row, and nothing to start with", () => {
  expect(requestRows(receipt(undefined))).toEqual([]);
  expect(smallerSpec(kSpec, receipt(undefined))).toBeUndefined();
  const rows = requestRows(receipt({ nodes: 2, cpusPerNode: 32 }));
  expect(rows.map(({ asked, enough }) => [asked, enough])).toEqual([
    ["2", "2"],
    ["32", "32"],
  ]);
});

it("a job that needed what it had has no smaller request", () => {
  const all = receipt({
    nodes: 2,
    gpusPerNode: 4,
    cpusPerNode: 32,
    memoryBytesPerNode: 64n * kGib,
  });
  expect(requestRows(all).some(({ isLess }) => isLess)).toBe(false);
  expect(smallerSpec(kSpec, all)).toBeUndefined();
});

it("a smaller request has less of each resource, and never more", () => {
  const smaller = smallerSpec(
    kSpec,
    receipt({
      nodes: 2,
      gpusPerNode: 1,
      cpusPerNode: 40,
      memoryBytesPerNode: 10n * kGib + 1n,
    }),
  );
  expect(smaller).toMatchObject({
    name: "train",
    nodes: 2,
    gpusPerNode: 1,
    cpusPerNode: 32,
    memoryPerNodeMib: 10241n,
  });
});

it("a job that used no CPU still asks for one", () => {
  const smaller = smallerSpec(kSpec, receipt({ nodes: 2, cpusPerNode: 0 }));
  expect(smaller?.cpusPerNode).toBe(1);
  expect(smaller?.memoryPerNodeMib).toBe(65536n);
});

it("values have the unit of their series", () => {
  const used = (series: string, value: number) => ({
    $typeName: "carme.v1.ResourceUse" as const,
    series,
    mean: value,
    median: value,
    quantile90: value,
    quantile99: value,
    peak: value,
    peakOfMeansS: 0,
  });
  const rows = usedRows([
    used("carme_job_cpu_seconds_total", 1.5),
    used("carme_job_memory_bytes", 2 ** 30),
    used("carme_gpu_utilization_ratio", 0.25),
    used("carme_gpu_power_watts", 300),
  ]);
  expect(rows.map(({ label, peak }) => [label, peak])).toEqual([
    ["CPU", "1.5 cores"],
    ["Memory", "1 GiB"],
    ["GPU", "25 %"],
    ["GPU power", "300 W"],
  ]);
});

it("a peak of means is named as one", () => {
  const [cpu] = usedRows([
    create(ResourceUseSchema, {
      series: "carme_job_cpu_seconds_total",
      peak: 12,
      peakOfMeansS: 60,
    }),
  ]);
  expect(cpu?.peak).toBe("12 cores (mean over 1 min)");
});

it("fewer nodes have a reason", () => {
  const idle = (idleNodeCount: number, idleNodes: string[]) =>
    idleNodesLabel(create(JobReceiptSchema, { idleNodeCount, idleNodes }));
  expect(idle(0, [])).toBe("");
  expect(idle(1, ["n2"])).toMatch(/^1 node did nothing \(n2\): no GPU above/);
  expect(idle(40, ["n2", "n3"])).toMatch(/^40 nodes did nothing \(n2, n3, …\)/);
});

it("an unknown energy is not zero", () => {
  expect(energyLabel(0)).toBe("");
  expect(energyLabel(7.2e6)).toBe("2 kWh");
});

it("a shorter time limit is asked for only if it is known", () => {
  const spec = {
    ...kSpec,
    walltime: create(DurationSchema, { seconds: 7200n }),
  };
  const withTimes = (asked: bigint | undefined, enough: bigint | undefined) => {
    const times = receipt({ nodes: 2, cpusPerNode: 8 });
    if (asked !== undefined) times.asked!.walltimeS = asked;
    if (enough !== undefined) times.enough!.walltimeS = enough;
    return times;
  };
  const rowOf = (each: JobReceipt) =>
    requestRows(each).find(({ label }) => label === "Walltime");
  const unknown = withTimes(7200n, undefined);
  expect(rowOf(unknown)).toBeUndefined();
  expect(smallerSpec(spec, unknown)?.walltime?.seconds).toBe(7200n);
  const shorter = withTimes(7200n, 1200n);
  expect(rowOf(shorter)).toMatchObject({
    asked: "2 h",
    enough: "20 min",
    isLess: true,
  });
  expect(smallerSpec(spec, shorter)?.walltime?.seconds).toBe(1200n);
  expect(smallerSpec(spec, withTimes(7200n, 9000n))?.walltime?.seconds).toBe(
    7200n,
  );
});
