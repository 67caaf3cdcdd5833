// What a template leaves of the form's choices.
import type { GetClusterResponse } from "#proto/cluster";
import type { Template, TemplateSettings } from "#proto/template";
import { formatMinutes, parseMinutes } from "../../../lib/format/duration";
import { minutesOf, templatesFor } from "../../templates/template_labels";
import { type FieldName, imagesOf, type StartForm } from "./start_form";

// The template that bounds the fields: the chosen one, or the only one. With
// several and none chosen every field is free, and the server takes the first
// that fits.
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

// The same cluster, with nothing that the template does not allow.
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

// Of a number's field; undefined: none.
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

// What there is to choose from; none: the field is not shown. A template has its
// own QOS, or only the user's default.
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

// What to write into which field, so that a form which was filled in before
// keeps to the template. What is typed afterwards the server judges.
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
  // Their defaults follow the template.
  set("qos", "");
  set("cpusPerNode", "");
  set("memoryPerNodeMib", "");
  return changes;
}
