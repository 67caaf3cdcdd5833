// Labels for the limits of a template.
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Template, TemplateSettings } from "#proto/template";
import { imageName } from "../images/app_images";
import { count } from "../../lib/format/count";
import { formatMinutes, formatSeconds } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";

export function minutesOf(duration: Duration | undefined): number {
  return Math.floor(Number(duration?.seconds ?? 0n) / 60);
}

export function secondsOf(duration: Duration | undefined): number {
  return Number(duration?.seconds ?? 0n);
}

// One phrase for each limit, in the order of the form.
export function templateLabel(settings: TemplateSettings): string[] {
  const walltime = minutesOf(settings.maxWalltime);
  const extended = minutesOf(settings.maxExtendedWalltime);
  const warning = secondsOf(settings.idleWarning);
  const stop = warning + secondsOf(settings.idleStop);
  const memory = Number(settings.memoryPerGpuMib);
  const images = settings.images.map(imageName).join(", ");
  return [
    settings.partition && `partition ${settings.partition}`,
    gpuLabel(settings),
    settings.maxNodes && `at most ${count(settings.maxNodes, "node")}`,
    settings.cpusPerGpu && `${count(settings.cpusPerGpu, "CPU")} per GPU`,
    memory && `${formatMib(memory)} per GPU`,
    walltime && `at most ${formatMinutes(walltime)}`,
    extended && `extended to ${formatMinutes(extended)}`,
    settings.maxJobs && `${count(settings.maxJobs, "job")} at once`,
    images && `only ${images}`,
    settings.reservation && `in reservation ${settings.reservation}`,
    settings.qos && `QOS ${settings.qos}`,
    settings.account && `account ${settings.account}`,
    stop > 0 && `stopped after ${formatSeconds(stop)} of inactivity`,
  ].filter((phrase): phrase is string => Boolean(phrase));
}

function gpuLabel(settings: TemplateSettings): string {
  if (settings.noGpus) return "no GPUs";
  const types = settings.gpuTypes.join(" or ");
  const max = settings.maxGpusPerNode;
  if (!max) return types && `GPUs ${types}`;
  return `at most ${max} ${types && `${types} `}${max === 1 ? "GPU" : "GPUs"} per node`;
}

// Who may use the template, for administrators.
export function audienceLabel(template: Template): string {
  const { everybody, projects } = template;
  const parts = [
    everybody && "all users without a project",
    projects.length > 0 && count(projects.length, "project"),
  ].filter(Boolean);
  return parts.length > 0 ? `for ${parts.join(" and ")}` : "not assigned";
}

// The templates for jobs in this project; empty: for jobs without a project.
export function templatesFor(
  templates: readonly Template[],
  project: string,
): Template[] {
  return templates.filter(
    ({ retired, everybody, projects }) =>
      !retired && (project ? projects.includes(project) : everybody),
  );
}
