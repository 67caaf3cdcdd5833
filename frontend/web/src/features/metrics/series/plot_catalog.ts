// Which series make which plot.
import type { Unit } from "./units";
import { messages } from "#messages/metrics";

export type Section =
  "gpu" | "cpu" | "memory" | "storage" | "network" | "processes" | "program";

export const kSections: readonly (readonly [Section, string])[] = [
  ["gpu", messages.sectionGpus],
  ["program", messages.sectionProgram],
  ["cpu", messages.sectionCpu],
  ["memory", messages.sectionMemory],
  ["storage", messages.sectionStorage],
  ["network", messages.sectionNetwork],
  ["processes", messages.sectionProcesses],
];

export interface LineSource {
  readonly name: string; // of the series
  readonly what: string; // in the legend; empty: the labels tell
  readonly isRate?: boolean;
  readonly isLimit?: boolean; // drawn dashed
}

export interface PlotSource {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  readonly unit: Unit;
  readonly about?: string;
  readonly lines: readonly LineSource[];
}

const gauge = (name: string, what = ""): LineSource => ({ name, what });
const rate = (name: string, what = ""): LineSource => ({
  name,
  what,
  isRate: true,
});
const limit = (name: string, what: string): LineSource => ({
  name,
  what,
  isLimit: true,
});

export const kCpuTotal = "carme_job_cpu_seconds_total";
export const kMemory = "carme_job_memory_bytes";
export const kMemoryLimit = "carme_job_memory_limit_bytes";
export const kPower = "carme_gpu_power_watts";
export const kPowerLimit = "carme_gpu_power_limit_watts";
export const kGpuUtilization = "carme_gpu_utilization_ratio";

export const kJobPlots: readonly PlotSource[] = [
  {
    id: "cpu",
    title: messages.cpuCores,
    section: "cpu",
    unit: "cores",
    lines: [rate(kCpuTotal)],
  },
  {
    id: "cpu-throttled",
    title: messages.cpuThrottled,
    section: "cpu",
    unit: "ratio",
    about: messages.cpuThrottledAbout,
    lines: [rate("carme_job_cpu_throttled_seconds_total")],
  },
  {
    id: "pressure",
    title: messages.pressure,
    section: "cpu",
    unit: "ratio",
    about: messages.pressureAbout,
    lines: [rate("carme_job_pressure_some_seconds_total")],
  },
  {
    id: "node-pressure",
    title: messages.nodePressure,
    section: "cpu",
    unit: "ratio",
    about: messages.nodePressureAbout,
    lines: [rate("carme_node_pressure_some_seconds_total")],
  },
  {
    id: "memory",
    title: messages.memoryInUse,
    section: "memory",
    unit: "bytes",
    about: messages.memoryAbout,
    lines: [
      gauge(kMemory, messages.memoryUsed),
      gauge("carme_job_memory_anonymous_bytes", messages.memoryPrograms),
      gauge("carme_job_memory_cache_bytes", messages.memoryCache),
      gauge("carme_job_memory_swap_bytes", messages.memorySwap),
      limit(kMemoryLimit, messages.limit),
    ],
  },
  {
    id: "storage",
    title: messages.storageTraffic,
    section: "storage",
    unit: "bytesPerSecond",
    about: messages.storageAbout,
    lines: [
      rate("carme_job_storage_read_bytes_total", messages.read),
      rate("carme_job_storage_written_bytes_total", messages.written),
    ],
  },
  {
    id: "io",
    title: messages.deviceTraffic,
    section: "storage",
    unit: "bytesPerSecond",
    lines: [
      rate("carme_job_io_read_bytes_total", messages.read),
      rate("carme_job_io_written_bytes_total", messages.written),
    ],
  },
  {
    id: "filesystems",
    title: messages.fileSystemTraffic,
    section: "storage",
    unit: "bytesPerSecond",
    about: messages.wholeNode,
    lines: [
      rate("carme_node_filesystem_read_bytes_total", messages.read),
      rate("carme_node_filesystem_written_bytes_total", messages.written),
    ],
  },
  {
    id: "filesystem-operations",
    title: messages.fileSystemOperations,
    section: "storage",
    unit: "perSecond",
    about: messages.wholeNode,
    lines: [
      rate("carme_node_filesystem_data_operations_total", messages.data),
      rate(
        "carme_node_filesystem_metadata_operations_total",
        messages.metadata,
      ),
    ],
  },
  {
    id: "network",
    title: messages.networkTraffic,
    section: "network",
    unit: "bytesPerSecond",
    about: messages.wholeNode,
    lines: [
      rate("carme_node_network_received_bytes_total", messages.received),
      rate("carme_node_network_sent_bytes_total", messages.sent),
    ],
  },
  {
    id: "rdma",
    title: messages.rdmaTraffic,
    section: "network",
    unit: "bytesPerSecond",
    about: messages.wholeNode,
    lines: [
      rate("carme_node_rdma_received_bytes_total", messages.received),
      rate("carme_node_rdma_sent_bytes_total", messages.sent),
    ],
  },
  {
    id: "rank-cpu",
    title: messages.rankCpu,
    section: "processes",
    unit: "cores",
    lines: [rate("carme_rank_cpu_seconds_total")],
  },
  {
    id: "rank-memory",
    title: messages.rankMemory,
    section: "processes",
    unit: "bytes",
    lines: [gauge("carme_rank_memory_bytes")],
  },
  {
    id: "rank-io",
    title: messages.rankStorage,
    section: "processes",
    unit: "bytesPerSecond",
    lines: [
      rate("carme_rank_io_read_bytes_total", messages.read),
      rate("carme_rank_io_written_bytes_total", messages.written),
    ],
  },
  {
    id: "rank-processes",
    title: messages.rankProcesses,
    section: "processes",
    unit: "number",
    lines: [gauge("carme_rank_processes")],
  },
];

// Components of the saturation score.
export const kSmActive = "carme_gpu_sm_active_ratio";
export const kSmOccupancy = "carme_gpu_sm_occupancy_ratio";
export const kPipes: readonly (readonly [string, string])[] = [
  ["carme_gpu_tensor_active_ratio", messages.tensorActive],
  ["carme_gpu_fp16_active_ratio", messages.fp16Active],
  ["carme_gpu_fp32_active_ratio", messages.fp32Active],
  ["carme_gpu_fp64_active_ratio", messages.fp64Active],
];
// Which ranks use which GPUs: no value to plot.
export const kRankInfo = "carme_gpu_rank_info";
// Computed by the agent for each of its samples.
export const kSaturation = "carme_gpu_saturation_ratio";
// Parts of the tensor pipe, and the integer pipe, which is no component.
const kMorePipes: readonly (readonly [string, string])[] = [
  ["carme_gpu_hmma_active_ratio", messages.hmmaActive],
  ["carme_gpu_imma_active_ratio", messages.immaActive],
  ["carme_gpu_dfma_active_ratio", messages.dfmaActive],
  ["carme_gpu_int_active_ratio", messages.intActive],
];
const kDram = "carme_gpu_dram_active_ratio";

const kGpuTraffic: readonly PlotSource[] = [
  {
    id: "gpu-memory",
    title: messages.gpuMemory,
    section: "gpu",
    unit: "bytes",
    lines: [
      gauge("carme_gpu_memory_used_bytes", messages.memoryUsed),
      gauge("carme_gpu_memory_reserved_bytes", messages.memoryReserved),
    ],
  },
  {
    id: "gpu-power",
    title: messages.gpuPower,
    section: "gpu",
    unit: "watts",
    lines: [gauge(kPower, messages.power), limit(kPowerLimit, messages.limit)],
  },
  {
    id: "gpu-energy",
    title: messages.gpuMeanPower,
    section: "gpu",
    unit: "watts",
    about: messages.gpuMeanPowerAbout,
    lines: [rate("carme_gpu_energy_joules_total")],
  },
  {
    id: "gpu-temperature",
    title: messages.gpuTemperature,
    section: "gpu",
    unit: "celsius",
    lines: [gauge("carme_gpu_temperature_celsius")],
  },
  {
    id: "gpu-clock",
    title: messages.gpuClock,
    section: "gpu",
    unit: "hertz",
    lines: [gauge("carme_gpu_sm_clock_hertz")],
  },
  {
    id: "gpu-slowdown",
    title: messages.gpuSlowdown,
    section: "gpu",
    unit: "ratio",
    about: messages.gpuSlowdownAbout,
    lines: [
      gauge("carme_gpu_power_cap_ratio", messages.powerCap),
      gauge("carme_gpu_thermal_slowdown_ratio", messages.thermalSlowdown),
      gauge("carme_gpu_power_brake_ratio", messages.powerBrake),
    ],
  },
  {
    id: "gpu-pcie",
    title: messages.gpuPcie,
    section: "gpu",
    unit: "bytesPerSecond",
    lines: [
      gauge("carme_gpu_pcie_received_bytes_per_second", messages.received),
      gauge("carme_gpu_pcie_sent_bytes_per_second", messages.sent),
    ],
  },
  {
    id: "gpu-nvlink",
    title: messages.gpuNvlink,
    section: "gpu",
    unit: "bytesPerSecond",
    lines: [
      gauge("carme_gpu_nvlink_received_bytes_per_second", messages.received),
      gauge("carme_gpu_nvlink_sent_bytes_per_second", messages.sent),
    ],
  },
  {
    id: "gpu-c2c",
    title: messages.gpuC2c,
    section: "gpu",
    unit: "bytesPerSecond",
    lines: [
      gauge("carme_gpu_c2c_received_bytes_per_second", messages.received),
      gauge("carme_gpu_c2c_sent_bytes_per_second", messages.sent),
    ],
  },
  {
    id: "gpu-ecc",
    title: messages.gpuEcc,
    section: "gpu",
    unit: "number",
    lines: [gauge("carme_gpu_ecc_uncorrected_errors_total")],
  },
];

const kActivity: readonly (readonly [string, string, string])[] = [
  ["gpu-utilization", kGpuUtilization, messages.gpuUtilization],
  ["gpu-sm-active", kSmActive, messages.smActive],
  ["gpu-sm-occupancy", kSmOccupancy, messages.smOccupancy],
  ["gpu-dram-active", kDram, messages.dramActive],
];

// One GPU has its activities in one plot; several have a plot for each activity.
export function gpuPlots(gpus: number): readonly PlotSource[] {
  const ratio = (
    id: string,
    title: string,
    lines: LineSource[],
  ): PlotSource => ({ id, title, section: "gpu", unit: "ratio", lines });
  if (gpus === 1) {
    return [
      ratio(
        "gpu-activity",
        messages.gpuActivity,
        kActivity.map(([, name, what]) => gauge(name, what)),
      ),
      ratio(
        "gpu-pipes",
        messages.gpuPipes,
        [...kPipes, ...kMorePipes].map(([name, what]) => gauge(name, what)),
      ),
      ...kGpuTraffic,
    ];
  }
  return [
    ...kActivity.map(([id, name, title]) => ratio(id, title, [gauge(name)])),
    ...[...kPipes, ...kMorePipes].map(([name, what]) =>
      ratio(name, messages.gpuPipe({ what }), [gauge(name)]),
    ),
    ...kGpuTraffic,
  ];
}
