// Converts a job spec to the start form, for presets and for starting a job
// again.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { JobSpec, StageItem } from "#proto/jobs";
import { formatMinutes } from "../../../lib/format/duration";
import { formatMib } from "../../../lib/format/memory";
import { startText } from "./start_time";
import { type BatchField, batchFormOf } from "./batch_form";
import { textOf } from "./notify_events";
import {
  type FieldName,
  kChecked,
  kTextFields,
  type StartForm,
  type TextField,
} from "./start_form";

// One entry for each other field; the compiler reports missing ones.
const kTexts: Record<
  Exclude<FieldName, BatchField | TextField>,
  (spec: JobSpec) => string
> = {
  app: ({ app }) => app,
  image: ({ image }) => image,
  gpusPerNode: ({ gpusPerNode }) => String(gpusPerNode),
  nodes: ({ nodes, vetting }) =>
    String(Math.max(vetting?.requiredNodes || nodes, 1)),
  walltime: ({ walltime }) => {
    const minutes = Number(walltime?.seconds ?? 0n) / 60;
    return minutes > 0 ? formatMinutes(minutes) : "";
  },
  cpusPerNode: ({ cpusPerNode }) => (cpusPerNode > 0 ? `${cpusPerNode}` : ""),
  memoryPerNodeMib: ({ memoryPerNodeMib }) =>
    exactMib(Number(memoryPerNodeMib)),
  stageIn: ({ stageIn }) => stageLines(stageIn),
  stageOut: ({ stageOut }) => stageLines(stageOut),
  // A start time in the past is dropped.
  startAt: ({ startAt }) => {
    const ms = startAt ? timestampMs(startAt) : 0;
    return ms > Date.now() ? startText(ms) : "";
  },
  notify: ({ notify }) => textOf(notify),
  vetting: ({ nodes, vetting }) =>
    vetting
      ? String(Math.max(nodes - (vetting.requiredNodes || nodes), 0))
      : "",
  resubmit: ({ vetting }) => (vetting?.resubmit ? kChecked : ""),
  excludedNodes: ({ excludedNodes }) => excludedNodes.join(", "),
};

export function specToForm(spec: JobSpec): StartForm {
  const same = kTextFields.map((field) => [field, spec[field]]);
  const converted = Object.entries(kTexts).map(([field, text]) => [
    field,
    text(spec),
  ]);
  return {
    ...Object.fromEntries([...same, ...converted]),
    ...batchFormOf(spec),
  } as StartForm;
}

// The exact value without rounding; empty for 0.
export function exactMib(mib: number): string {
  if (mib <= 0) return "";
  return mib % 1024 === 0 ? formatMib(mib) : `${mib} MiB`;
}

function stageLines(items: readonly StageItem[]): string {
  return items.map(({ from, to }) => `${from} -> ${to}`).join("\n");
}
