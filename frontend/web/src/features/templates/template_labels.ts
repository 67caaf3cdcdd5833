// Labels for the limits of a template.
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Template, TemplateSettings } from "#proto/template";
import { imageName } from "../images/app_images";
import { formatMinutes, formatSeconds } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { messages } from "./messages";

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
    settings.partition && messages.onlyPartition(settings.partition),
    gpuLabel(settings),
    settings.maxNodes && messages.maximumNodes(settings.maxNodes),
    settings.cpusPerGpu && messages.maximumCpus(settings.cpusPerGpu),
    memory && messages.maximumMemory(formatMib(memory)),
    walltime && messages.maximumTime(formatMinutes(walltime)),
    extended && messages.maximumTimeWithExtensions(formatMinutes(extended)),
    settings.maxJobs && messages.jobsAtOnce(settings.maxJobs),
    images && messages.onlyImages(images),
    settings.reservation && messages.inReservation(settings.reservation),
    settings.qos && messages.onlyQos(settings.qos),
    settings.account && messages.onlyAccount(settings.account),
    stop > 0 && messages.stoppedAfterInactivity(formatSeconds(stop)),
  ].filter((phrase): phrase is string => Boolean(phrase));
}

function gpuLabel(settings: TemplateSettings): string {
  if (settings.noGpus) return messages.noGpus;
  const types = messages.anyOf(settings.gpuTypes);
  const max = settings.maxGpusPerNode;
  if (!max) return types && messages.onlyGpuTypes(types);
  return types
    ? messages.maximumGpusOfTypes(max, types)
    : messages.maximumGpus(max);
}

// Who may use the template, for administrators.
export function audienceLabel(template: Template): string {
  const { everybody, projects } = template;
  if (projects.length === 0) {
    return everybody ? messages.forUsersWithoutAProject : messages.notAssigned;
  }
  return everybody
    ? messages.forUsersAndProjects(projects.length)
    : messages.forProjects(projects.length);
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
