// What a job asked for and used, as rows of tables.
import type { JobReceipt, JobResources, ResourceUse } from "#proto/findings";
import type { JobSpec } from "#proto/jobs";
import { formatMinutes, formatSeconds } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { formatMeasured } from "../../lib/format/number";
import { formatValue, type Unit, unitOfName } from "../metrics/series/units";
import { messages } from "#messages/findings";

export interface RequestRow {
  readonly label: string;
  readonly asked: string;
  readonly enough: string;
  readonly isLess: boolean; // less would have been enough
}

const kMib = 1 << 20;

// A row for each resource of which both are known.
export function requestRows(receipt: JobReceipt): RequestRow[] {
  const { asked, enough } = receipt;
  if (!asked || !enough) return [];
  const row = (
    label: string,
    of: (resources: JobResources) => number | undefined,
    format: (value: number) => string = String,
  ) => {
    const [was, needed] = [of(asked), of(enough)];
    if (was === undefined || needed === undefined) return [];
    return [
      {
        label,
        asked: format(was),
        enough: format(needed),
        isLess: needed < was,
      },
    ];
  };
  return [
    ...row(messages.nodes, ({ nodes }) => nodes || undefined),
    ...row(messages.gpus, ({ gpusPerNode }) => gpusPerNode),
    ...row(messages.cpus, ({ cpusPerNode }) => cpusPerNode),
    ...row(messages.memoryPerNode, memoryMibOf, formatMib),
    ...row(messages.walltime, walltimeMinutesOf, formatMinutes),
  ];
}

function memoryMibOf(resources: JobResources): number | undefined {
  const bytes = resources.memoryBytesPerNode;
  return bytes === undefined ? undefined : Math.ceil(Number(bytes) / kMib);
}

function walltimeMinutesOf({ walltimeS }: JobResources): number | undefined {
  return walltimeS === undefined
    ? undefined
    : Math.max(1, Math.ceil(Number(walltimeS) / 60));
}

// The job's request with what would have been enough; undefined: all of it was
// needed. Never asks for more.
export function smallerSpec(
  spec: JobSpec,
  receipt: JobReceipt,
): JobSpec | undefined {
  const { enough } = receipt;
  if (!enough || !requestRows(receipt).some(({ isLess }) => isLess)) {
    return undefined;
  }
  const least = (was: number, needed: number | undefined) =>
    needed === undefined || was === 0 ? was : Math.min(was, needed);
  const memory = memoryMibOf(enough);
  const walltime = spec.walltime && enough.walltimeS;
  return {
    ...spec,
    nodes: least(spec.nodes, enough.nodes || undefined),
    gpusPerNode: least(spec.gpusPerNode, enough.gpusPerNode),
    cpusPerNode: Math.max(1, least(spec.cpusPerNode, enough.cpusPerNode)),
    memoryPerNodeMib: BigInt(
      least(Number(spec.memoryPerNodeMib), memory && Math.max(1, memory)),
    ),
    ...(spec.walltime &&
      walltime !== undefined &&
      walltime < spec.walltime.seconds && {
        walltime: { ...spec.walltime, seconds: walltime },
      }),
  };
}

export interface UseRow {
  readonly label: string;
  readonly mean: string;
  readonly mostly: string;
  readonly peak: string;
}

const kLabels: Record<string, string> = {
  carme_job_cpu_seconds_total: messages.cpuUse,
  carme_job_memory_bytes: messages.memory,
  carme_gpu_utilization_ratio: messages.gpuUse,
  carme_gpu_memory_used_bytes: messages.gpuMemory,
  carme_gpu_power_watts: messages.gpuPower,
  carme_gpu_sm_active_ratio: messages.smActive,
  carme_gpu_sm_occupancy_ratio: messages.smOccupancy,
  carme_gpu_dram_active_ratio: messages.dramActive,
  carme_gpu_tensor_active_ratio: messages.tensorActive,
};

export function usedRows(used: readonly ResourceUse[]): UseRow[] {
  return used.map((each) => {
    const unit = unitOfUse(each.series);
    return {
      label: labelOfUse(each.series),
      mean: formatValue(unit, each.mean),
      mostly: formatValue(unit, each.quantile99),
      peak: peakLabel(unit, each),
    };
  });
}

// A mean hides a shorter peak: it is named as what it is.
function peakLabel(unit: Unit, { peak, peakOfMeansS }: ResourceUse): string {
  const shown = formatValue(unit, peak);
  if (peakOfMeansS === 0) return shown;
  return messages.peakOfMeans({
    peak: shown,
    length: formatSeconds(peakOfMeansS),
  });
}

// Why fewer nodes would have been enough; empty: all did something.
export function idleNodesLabel(receipt: JobReceipt): string {
  const { idleNodeCount: count, idleNodes } = receipt;
  if (count === 0) return "";
  const nodes = idleNodes.join(", ");
  return messages.idleNodes({
    count,
    nodes: idleNodes.length < count ? `${nodes}, …` : nodes,
  });
}

export function labelOfUse(series: string): string {
  return kLabels[series] ?? series;
}

export function unitOfUse(series: string): Unit {
  if (series === "carme_job_cpu_seconds_total") return "cores";
  return unitOfName(series).unit;
}

// 7,200,000 J → "2 kWh". Empty: not known.
export function energyLabel(joules: number): string {
  if (joules <= 0) return "";
  return messages.kilowattHours({ amount: formatMeasured(joules / 3.6e6) });
}
