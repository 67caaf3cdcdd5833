// The values of the template form, all as text.
import { create } from "@bufbuild/protobuf";
import {
  GpuIdlePolicy_Action,
  type GpuIdlePolicy,
  GpuIdlePolicySchema,
} from "#proto/gpu_idle";
import { type TemplateSettings, TemplateSettingsSchema } from "#proto/template";
import {
  formatMinutes,
  formatSeconds,
  parseMinutes,
  parseSeconds,
} from "../../lib/format/duration";
import { parseMib } from "../../lib/format/memory";
import { parseNames } from "../images/image_lines";
import { exactMib } from "../start/form/spec_to_form";
import { FieldError } from "../../lib/field_error";
import { messages } from "#messages/templates";
import { minutesOf, secondsOf } from "./template_labels";

export const kDraftFields = [
  "name",
  "description",
  "partition",
  "gpuTypes",
  "maxGpusPerNode",
  "maxNodes",
  "maxJobs",
  "maxWalltime",
  "maxExtendedWalltime",
  "cpusPerGpu",
  "memoryPerGpuMib",
  "images",
  "account",
  "qos",
  "reservation",
  "idleWarning",
  "idleStop",
  "gpuIdleThreshold",
  "gpuIdleWarning",
  "gpuIdleAct",
] as const;

export type DraftField = (typeof kDraftFields)[number];
export type TemplateDraft = Readonly<Record<DraftField, string>> & {
  readonly noGpus: boolean;
  // UNSPECIFIED: idle GPUs have no effect, the fields about them are not read.
  readonly gpuIdleAction: GpuIdlePolicy_Action;
};

const kUsualThreshold = "2";

export function draftOf(settings: TemplateSettings | undefined): TemplateDraft {
  const from = settings ?? create(TemplateSettingsSchema);
  const number = (value: number) => (value > 0 ? String(value) : "");
  const time = (value: TemplateSettings["maxWalltime"]) => {
    const minutes = minutesOf(value);
    return minutes > 0 ? formatMinutes(minutes) : "";
  };
  const idle = (value: TemplateSettings["idleWarning"]) => {
    const seconds = secondsOf(value);
    return seconds > 0 ? formatSeconds(seconds) : "";
  };
  return {
    name: from.name,
    description: from.description,
    partition: from.partition,
    gpuTypes: from.gpuTypes.join(", "),
    noGpus: from.noGpus,
    maxGpusPerNode: number(from.maxGpusPerNode),
    maxNodes: number(from.maxNodes),
    maxJobs: number(from.maxJobs),
    maxWalltime: time(from.maxWalltime),
    maxExtendedWalltime: time(from.maxExtendedWalltime),
    cpusPerGpu: number(from.cpusPerGpu),
    memoryPerGpuMib: exactMib(Number(from.memoryPerGpuMib)),
    images: from.images.join(", "),
    account: from.account,
    qos: from.qos,
    reservation: from.reservation,
    idleWarning: idle(from.idleWarning),
    idleStop: idle(from.idleStop),
    gpuIdleAction: from.gpuIdle?.action ?? GpuIdlePolicy_Action.UNSPECIFIED,
    gpuIdleThreshold: from.gpuIdle
      ? number(from.gpuIdle.thresholdPercent)
      : kUsualThreshold,
    gpuIdleWarning: idle(from.gpuIdle?.warnAfter),
    gpuIdleAct: idle(from.gpuIdle?.actAfter),
  };
}

// Throws a FieldError about the invalid value.
export function draftToSettings(draft: TemplateDraft): TemplateSettings {
  const read = (
    field: DraftField,
    parse: (text: string) => number | undefined,
    invalid: (of: { text: string }) => string,
  ): number => {
    const text = draft[field].trim();
    if (text === "") return 0;
    const value = parse(text);
    if (value === undefined) throw new FieldError(field, invalid({ text }));
    return value;
  };
  const number = (field: DraftField) =>
    read(field, whole, messages.invalidNumber);
  const time = (field: DraftField) => {
    const minutes = read(field, parseMinutes, messages.invalidTime);
    return minutes > 0
      ? { [field]: { seconds: BigInt(minutes * 60) } }
      : undefined;
  };
  const seconds = (field: DraftField) => {
    const value = read(field, parseSeconds, messages.invalidIdleTime);
    return value > 0 ? { seconds: BigInt(value) } : undefined;
  };
  const idle = (field: DraftField) => {
    const value = seconds(field);
    return value && { [field]: value };
  };
  const gpuIdle = (): GpuIdlePolicy | undefined => {
    const action = draft.gpuIdleAction;
    if (action === GpuIdlePolicy_Action.UNSPECIFIED) return undefined;
    const warnAfter = seconds("gpuIdleWarning");
    const actAfter =
      action === GpuIdlePolicy_Action.WARN_ONLY
        ? undefined
        : seconds("gpuIdleAct");
    return create(GpuIdlePolicySchema, {
      thresholdPercent: number("gpuIdleThreshold"),
      ...(warnAfter && { warnAfter }),
      ...(actAfter && { actAfter }),
      action,
    });
  };
  const policy = gpuIdle();
  const memory = read("memoryPerGpuMib", parseMib, messages.invalidMemory);
  return create(TemplateSettingsSchema, {
    name: draft.name.trim(),
    description: draft.description.trim(),
    partition: draft.partition.trim(),
    gpuTypes: parseNames(draft.gpuTypes),
    noGpus: draft.noGpus,
    maxGpusPerNode: number("maxGpusPerNode"),
    maxNodes: number("maxNodes"),
    maxJobs: number("maxJobs"),
    cpusPerGpu: number("cpusPerGpu"),
    memoryPerGpuMib: BigInt(memory),
    images: parseNames(draft.images),
    account: draft.account.trim(),
    qos: draft.qos.trim(),
    reservation: draft.reservation.trim(),
    ...time("maxWalltime"),
    ...time("maxExtendedWalltime"),
    ...idle("idleWarning"),
    ...idle("idleStop"),
    ...(policy && { gpuIdle: policy }),
  });
}

// Text that changes with what a dry run depends on; empty: the template has no
// name yet, or a value cannot be read.
export function checkable(draft: TemplateDraft): string {
  if (draft.name.trim() === "") return "";
  try {
    draftToSettings(draft);
  } catch {
    return "";
  }
  return JSON.stringify({ ...draft, name: "", description: "" });
}

function whole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
