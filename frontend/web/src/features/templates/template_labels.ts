// Labels for the limits of a template.
import type { Duration } from "@bufbuild/protobuf/wkt";
import { GpuIdlePolicy_Action } from "#proto/gpu_idle";
import type { Template, TemplateSettings } from "#proto/template";
import { imageName } from "../images/app_images";
import { formatMinutes, formatSeconds } from "../../lib/format/duration";
import { formatMib } from "../../lib/format/memory";
import { formatAlternatives } from "../../lib/format/list";
import { messages } from "#messages/templates";

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
    settings.partition && messages.onlyPartition({ name: settings.partition }),
    gpuLabel(settings),
    settings.maxNodes && messages.maximumNodes({ count: settings.maxNodes }),
    settings.cpusPerGpu && messages.maximumCpus({ count: settings.cpusPerGpu }),
    memory && messages.maximumMemory({ amount: formatMib(memory) }),
    walltime && messages.maximumTime({ time: formatMinutes(walltime) }),
    extended &&
      messages.maximumTimeWithExtensions({ time: formatMinutes(extended) }),
    settings.maxJobs && messages.jobsAtOnce({ count: settings.maxJobs }),
    images && messages.onlyImages({ names: images }),
    settings.reservation &&
      messages.inReservation({ name: settings.reservation }),
    settings.qos && messages.onlyQos({ name: settings.qos }),
    settings.account && messages.onlyAccount({ name: settings.account }),
    stop > 0 && messages.stoppedAfterInactivity({ time: formatSeconds(stop) }),
    gpuIdleLabel(settings),
  ].filter((phrase): phrase is string => Boolean(phrase));
}

function gpuLabel(settings: TemplateSettings): string {
  if (settings.noGpus) return messages.noGpus;
  const types = formatAlternatives(settings.gpuTypes);
  const max = settings.maxGpusPerNode;
  if (!max) return types && messages.onlyGpuTypes({ types });
  return types
    ? messages.maximumGpusOfTypes({ count: max, types })
    : messages.maximumGpus({ count: max });
}

function gpuIdleLabel({ gpuIdle }: TemplateSettings): string {
  switch (gpuIdle?.action) {
    case GpuIdlePolicy_Action.WARN_ONLY:
      return messages.warnedAfterIdleGpus({
        time: formatSeconds(secondsOf(gpuIdle.warnAfter)),
      });
    case GpuIdlePolicy_Action.STOP:
      return messages.stoppedAfterIdleGpus({
        time: formatSeconds(secondsOf(gpuIdle.actAfter)),
      });
    case GpuIdlePolicy_Action.SHRINK:
      return messages.nodesReturnedAfterIdleGpus({
        time: formatSeconds(secondsOf(gpuIdle.actAfter)),
      });
    default:
      return "";
  }
}

// Who may use the template, for administrators.
export function audienceLabel(template: Template): string {
  const { everybody, projects } = template;
  if (projects.length === 0) {
    return everybody ? messages.forUsersWithoutAProject : messages.notAssigned;
  }
  return everybody
    ? messages.forUsersAndProjects({ count: projects.length })
    : messages.forProjects({ count: projects.length });
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
