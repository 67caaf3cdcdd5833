// The configuration of a job as labels and values; only what is set.
import type { Job, JobSpec } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { formatMinutes } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { formatExactly, msOf } from "../../lib/format/moment";
import { imageName } from "../images/app_images";
import { gpuLabel } from "../jobs/job_labels";
import { messages } from "#messages/job_page";

export interface ConfigurationRow {
  readonly label: string;
  readonly value: string;
  readonly isCode: boolean; // shown as it is, with its lines
}

export function configurationRows(
  job: Job,
  appName: string,
  projectName: string,
): ConfigurationRow[] {
  const { spec } = job;
  if (!spec) return [];
  const row = (label: string, value: string, isCode = false) => ({
    label,
    value,
    isCode,
  });
  const startMs = msOf(spec.startAt);
  const rows = [
    row(messages.description, spec.description),
    row(messages.cluster, clusterOf(job)),
    row(messages.app, spec.batch ? "" : appName),
    ...batchRows(spec),
    row(messages.image, spec.image && imageName(spec.image)),
    row(messages.environment, spec.environment),
    row(messages.nodes, String(spec.nodes)),
    row(messages.gpusPerNode, gpuLabel({ ...spec, nodes: 1 })),
    row(messages.cpusPerNode, spec.cpusPerNode ? `${spec.cpusPerNode}` : ""),
    row(
      messages.memoryPerNode,
      spec.memoryPerNodeMib > 0n
        ? formatMib(Number(spec.memoryPerNodeMib))
        : "",
    ),
    row(
      messages.walltime,
      formatMinutes(Math.round(Number(spec.walltime?.seconds ?? 0n) / 60)),
    ),
    row(messages.partition, spec.partition),
    row(messages.excludedNodes, spec.excludedNodes.join(", ")),
    row(messages.project, spec.project && projectName),
    row(messages.template, spec.template),
    row(messages.account, job.account),
    row(messages.qos, spec.qos),
    row(messages.reservation, spec.reservation),
    row(
      messages.earliestStart,
      startMs === undefined ? "" : formatExactly(startMs),
    ),
    row(messages.linkedTo, spec.linkedTo),
    row(messages.stageIn, stageText(spec.stageIn), true),
    row(messages.stageOut, stageText(spec.stageOut), true),
  ];
  return rows.filter(({ value }) => value !== "");
}

function batchRows({ batch }: JobSpec): ConfigurationRow[] {
  if (!batch) return [];
  const code = (label: string, value: string) => ({
    label,
    value,
    isCode: true,
  });
  return [
    code(messages.command, batch.command),
    code(messages.script, batch.script),
    code(messages.arguments, batch.arguments.join("\n")),
    code(messages.workingDirectory, batch.workingDirectory),
    code(messages.output, batch.output),
    code(messages.error, batch.error),
    code(messages.array, batch.array),
    code(
      messages.dependencies,
      batch.dependencies.map(({ job }) => job).join("\n"),
    ),
  ];
}

function stageText(
  items: readonly { readonly from: string; readonly to: string }[],
): string {
  return items
    .map(({ from, to }) => messages.stagePath({ from, to }))
    .join("\n");
}
