// The limits that a template sets on the form.
import type { GetClusterResponse } from "#proto/cluster";
import type { Template, TemplateSettings } from "#proto/template";
import { formatMinutes, parseMinutes } from "../../../lib/format/duration";
import { minutesOf, templatesFor } from "../../templates/template_labels";
import { type FieldName, imagesOf, type StartForm } from "./start_form";

// The template that limits the fields: the selected one, or the only one. With
// several templates and no selection the fields are not limited, and the server
// uses the first matching template.
export function boundingTemplate(
  form: StartForm,
  templates: readonly Template[],
): TemplateSettings | undefined {
  const offered = templatesFor(templates, form.project);
  const chosen = form.template
    ? offered.find(({ id }) => id === form.template)
    : offered.length === 1
      ? offered[0]
      : undefined;
  return chosen?.settings;
}

// The cluster restricted to what the template allows.
export function boundedCluster(
  cluster: GetClusterResponse,
  bound: TemplateSettings | undefined,
): GetClusterResponse {
  if (!bound) return cluster;
  const { gpuTypes, images, partition, noGpus } = bound;
  return {
    ...cluster,
    gpuTypes: cluster.gpuTypes.filter(
      ({ type }) =>
        !noGpus && (gpuTypes.length === 0 || gpuTypes.includes(type)),
    ),
    images: cluster.images.filter(
      ({ id }) => images.length === 0 || images.includes(id),
    ),
    partitions: cluster.partitions.filter(
      ({ name }) => !partition || name === partition,
    ),
  };
}

// The maximum of a numeric field; undefined: none.
export function maxOf(
  field: "gpusPerNode" | "nodes" | "cpusPerNode",
  form: StartForm,
  bound: TemplateSettings | undefined,
): number | undefined {
  if (!bound) return undefined;
  if (field === "nodes") return bound.maxNodes || undefined;
  if (field === "gpusPerNode") {
    return bound.noGpus ? 0 : bound.maxGpusPerNode || undefined;
  }
  const shares = Math.max(1, Number(form.gpusPerNode) || 0);
  return bound.cpusPerGpu * shares || undefined;
}

// The QOS to choose from; empty: the field is hidden. A template has a fixed
// QOS or the user's default.
export function qosChoices(
  form: StartForm,
  cluster: GetClusterResponse,
  templates: readonly Template[],
): readonly string[] {
  const offered = cluster.limits?.qos ?? [];
  const free = templatesFor(templates, form.project).length === 0;
  return free && offered.length > 1 ? offered : [];
}

// In minutes; 0: none.
export function longestWalltime(
  limit: number,
  bound: TemplateSettings | undefined,
): number {
  const max = minutesOf(bound?.maxWalltime);
  return limit > 0 && max > 0 ? Math.min(limit, max) : limit || max;
}

// The changes that adjust a filled-in form to the template. The server
// validates later input.
export function fitTo(
  form: StartForm,
  bound: TemplateSettings | undefined,
  cluster: GetClusterResponse,
): readonly (readonly [FieldName, string])[] {
  if (!bound) return [];
  const changes: (readonly [FieldName, string])[] = [];
  const set = (field: FieldName, value: string) => {
    if (form[field] !== value) changes.push([field, value]);
  };
  const left = boundedCluster(cluster, bound);
  if (!left.gpuTypes.some(({ type }) => type === form.gpuType)) {
    set("gpuType", "");
  }
  if (!left.partitions.some(({ name }) => name === form.partition)) {
    set("partition", "");
  }
  const images = imagesOf(form, left);
  if (!images.some(({ id }) => id === form.image)) set("image", "");
  for (const field of ["gpusPerNode", "nodes"] as const) {
    const max = maxOf(field, form, bound);
    if (max !== undefined && Number(form[field]) > max) {
      set(field, String(max));
    }
  }
  const longest = minutesOf(bound.maxWalltime);
  if (longest > 0 && (parseMinutes(form.walltime) ?? 0) > longest) {
    set("walltime", formatMinutes(longest));
  }
  // Empty fields take the template's defaults.
  set("qos", "");
  set("cpusPerNode", "");
  set("memoryPerNodeMib", "");
  return changes;
}
