// Texts for limits that a job exceeds, by the limit's name and value. For
// languages that the server does not write.
import type { Violation } from "#proto/jobs";
import { messages } from "#messages/start";

type Label = (max: string) => string;

const kLabels: ReadonlyMap<string, Label> = new Map([
  ["max_gpus_per_job", (max) => messages.limitGpusPerJob({ max })],
  ["max_gpus", (max) => messages.limitGpus({ max })],
  ["max_nodes_per_job", (max) => messages.limitNodesPerJob({ max })],
  ["max_running_jobs", (max) => messages.limitJobs({ max })],
  ["max_queued_jobs", (max) => messages.limitQueuedJobs({ max })],
  ["max_jobs_per_day", (max) => messages.limitJobsPerDay({ max })],
  ["max_jobs", (max) => messages.limitJobsOfTemplate({ max })],
  ["max_walltime_min", (max) => messages.limitWalltime({ max: `${max} min` })],
  ["max_walltime", (max) => messages.limitWalltime({ max })],
  ["max_gpu_hours_per_day", (max) => messages.limitGpuHoursPerDay({ max })],
  ["max_gpu_hours_per_month", (max) => messages.limitGpuHoursPerMonth({ max })],
  ["max_gpu_hours", (max) => messages.limitGpuHours({ max })],
  ["no_gpus", () => messages.limitNoGpus],
  ["max_array_tasks", (max) => messages.limitArrayTasks({ max })],
  ["MaxArraySize", (max) => messages.limitArrayIndex({ max })],
  ["least", () => messages.notNegative],
  ["slurm", () => messages.slurmDoesNotRespond],
] satisfies [string, Label][]);

// undefined: only the server has a text.
export function violationLabel(violation: Violation): string | undefined {
  const { limit, value } = violation;
  const label = kLabels.get(limit);
  if (!label || (value === "" && limit !== "slurm")) return undefined;
  return label(value);
}
