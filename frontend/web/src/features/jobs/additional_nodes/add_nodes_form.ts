// The form for additional nodes, and its conversion to a job spec. An empty
// walltime means the remaining time of the job.
import { create } from "@bufbuild/protobuf";
import type { GetClusterResponse } from "#proto/cluster";
import {
  type Job,
  type JobSpec,
  JobSpecSchema,
  type Violation,
} from "#proto/jobs";
import { parseMinutes } from "../../../lib/format/duration";
import type { ParseError } from "../../start/form/start_form";
import { messages } from "#messages/jobs";

export const kAddNodesFields = [
  "gpuType",
  "gpusPerNode",
  "nodes",
  "walltime",
] as const;
export type AddNodesField = (typeof kAddNodesFields)[number];
export type AddNodesForm = Readonly<Record<AddNodesField, string>>;

export function addNodesForm(cluster: GetClusterResponse): AddNodesForm {
  const hasGpus = cluster.gpuTypes.some(({ total }) => total > 0);
  return {
    gpuType: "",
    gpusPerNode: hasGpus ? "1" : "0",
    nodes: "1",
    walltime: "",
  };
}

export function addNodesSpec(
  form: AddNodesForm,
  job: Job,
): { spec: JobSpec; parseErrors: ParseError[] } {
  const parseErrors: ParseError[] = [];
  const count = (field: "gpusPerNode" | "nodes") => {
    const text = form[field].trim();
    if (/^\d{0,9}$/.test(text)) return Number(text);
    parseErrors.push({
      field,
      message: messages.invalidNumber({ text }),
    });
    return 0;
  };
  const typed = form.walltime.trim();
  const minutes = typed ? parseMinutes(typed) : 0;
  if (minutes === undefined) {
    const message = messages.invalidTime({ text: typed });
    parseErrors.push({ field: "walltime", message });
  }
  const gpusPerNode = count("gpusPerNode");
  const spec = create(JobSpecSchema, {
    linkedTo: job.id,
    partition: job.spec?.partition ?? "",
    gpusPerNode,
    gpuType: gpusPerNode > 0 ? form.gpuType : "",
    nodes: count("nodes"),
    ...(minutes && { walltime: { seconds: BigInt(minutes * 60) } }),
  });
  return { spec, parseErrors };
}

// Violations of fields that the dialog does not have belong to the form.
export function placed(violations: readonly Violation[]): Violation[] {
  const shown: readonly string[] = kAddNodesFields;
  return violations.map((violation) =>
    shown.includes(violation.field) ? violation : { ...violation, field: "" },
  );
}
