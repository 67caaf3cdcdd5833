// The values of the start form, and their conversion to a job spec. Every field
// is the text of its input; empty means the default that PreviewJob fills in.
import { create } from "@bufbuild/protobuf";
import type {
  App,
  GetClusterResponse,
  ImageChoice,
  PendingImage,
} from "#proto/cluster";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type JobSpec, JobSpecSchema, JobVettingSchema } from "#proto/jobs";
import { awaitsImage, hasApp, imagesWith } from "../../images/app_images";
import { parseMinutes } from "../../../lib/format/duration";
import { parseMib } from "../../../lib/format/memory";
import { excludedNodesOf, kMaxExcludedNodes } from "./excluded_nodes";
import { eventsOf } from "./notify_events";
import {
  batchOf,
  isBatchForm,
  kBatchFields,
  kBlankBatch,
  missingIn,
} from "./batch_form";
import { parseStart } from "./start_time";
import { parseStage } from "./stage_lines";
import { messages } from "#messages/start";

// Fields that a link may set.
export const kPlainFields = [
  "app",
  "image",
  "environment",
  "project",
  "template",
  "reservation",
  "gpuType",
  "gpusPerNode",
  "nodes",
  "walltime",
  "cpusPerNode",
  "memoryPerNodeMib",
  "partition",
  "qos",
  "excludedNodes",
  "name",
  "description",
] as const;

// Fields that hold a text of JobSpec of the same name.
export const kTextFields = [
  "environment",
  "project",
  "template",
  "reservation",
  "gpuType",
  "partition",
  "qos",
  "name",
  "description",
] as const;
export type TextField = (typeof kTextFields)[number];

// The JSON names of the fields of JobSpec, which violations also use; "resubmit"
// is a part of "vetting".
export const kFields = [
  ...kBatchFields,
  ...kPlainFields,
  "stageIn",
  "stageOut",
  "notify",
  "startAt",
  "vetting",
  "resubmit",
] as const;

export type FieldName = (typeof kFields)[number];
export type StartForm = Readonly<Record<FieldName, string>>;

// The fields below "More options".
export const kAdvanced: readonly FieldName[] = [
  "cpusPerNode",
  "memoryPerNodeMib",
  "partition",
  "qos",
  "name",
  "description",
  "stageIn",
  "stageOut",
  "notify",
  "startAt",
  "vetting",
  "resubmit",
  "excludedNodes",
];

// Spare nodes in addition to `nodes`. Empty: the nodes are not vetted.
export const kSpareNodes: readonly string[] = ["0", "1", "2", "4", "8"];

// The value of the field "resubmit" if it is checked.
export const kChecked = "yes";

// An environment file on the cluster instead of a saved environment.
export const kFileStart = "~/";

export function isFile(environment: string): boolean {
  return environment.startsWith("/") || environment.startsWith("~");
}

// An invalid field; the form is not sent to the server.
export interface ParseError {
  readonly field: FieldName;
  readonly message: string;
}

export interface SpecOrErrors {
  readonly spec: JobSpec;
  readonly parseErrors: readonly ParseError[];
}

export function blankForm(cluster: GetClusterResponse): StartForm {
  const hasGpus = cluster.gpuTypes.some(({ total }) => total > 0);
  return {
    ...kBlankBatch,
    app: firstApp(cluster),
    image: "",
    environment: "",
    project: "",
    template: "",
    reservation: "",
    gpuType: "",
    gpusPerNode: hasGpus ? "1" : "0",
    nodes: "1",
    walltime: "1 h",
    cpusPerNode: "",
    memoryPerNodeMib: "",
    partition: "",
    qos: "",
    name: "",
    description: "",
    stageIn: "",
    stageOut: "",
    notify: "",
    startAt: "",
    vetting: "",
    resubmit: "",
    excludedNodes: "",
  };
}

// Apps that require a file of the user are not offered here: whether the file
// exists is known only in a running job.
// Variants, which share the icon of an earlier app, come last.
export function startableApps(
  form: Pick<StartForm, "app">,
  { apps }: Pick<GetClusterResponse, "apps">,
): readonly App[] {
  const offered = apps.filter(
    ({ id, requiresFile }) => !requiresFile || id === form.app,
  );
  const isVariant = ({ icon }: App, at: number) =>
    offered.findIndex((other) => other.icon === icon) < at;
  return [
    ...offered.filter((app, at) => !isVariant(app, at)),
    ...offered.filter(isVariant),
  ];
}

// Apps of an image that is still being built are not the default.
function firstApp(cluster: GetClusterResponse): string {
  const apps = startableApps({ app: "" }, cluster);
  const ready = apps.find(({ id }) => !awaitsImage(id, cluster));
  return (ready ?? apps[0])?.id ?? "";
}

// Batch jobs can use any image; apps need an image that has them.
export function imagesOf(
  form: StartForm,
  cluster: GetClusterResponse,
): readonly ImageChoice[] {
  if (isBatchForm(form)) return cluster.images;
  return imagesWith(form.app, cluster.images);
}

// The images that are being built, if one of them would be the default for this
// job.
export function pendingImagesOf(
  form: StartForm,
  cluster: GetClusterResponse,
): readonly PendingImage[] {
  const first = imagesOf(form, cluster)[0];
  if (form.image || (first && first.id !== "none")) return [];
  return cluster.pendingImages.filter(
    (image) => isBatchForm(form) || hasApp(image, form.app),
  );
}

// Resets values that the cluster does not offer, or not for this app, to the
// default.
export function fitted(
  form: StartForm,
  cluster: GetClusterResponse,
): StartForm {
  const offered = cluster.apps.some(({ id }) => id === form.app);
  const app = offered ? form.app : firstApp(cluster);
  const [, ...others] = imagesOf({ ...form, app }, cluster);
  const kept = others.some(({ id }) => id === form.image);
  const image = kept ? form.image : "";
  if (app === form.app && image === form.image) return form;
  return { ...form, app, image };
}

export function formToSpec(form: StartForm): SpecOrErrors {
  const parseErrors: ParseError[] = [];
  const read = <T>(
    field: FieldName,
    parse: (text: string) => T | undefined,
    absent: T,
    invalid: (of: { text: string }) => string,
  ): T => {
    const text = form[field].trim();
    if (text === "") return absent;
    const value = parse(text);
    if (value === undefined) {
      parseErrors.push({ field, message: invalid({ text }) });
    }
    return value ?? absent;
  };
  const { invalidCount } = messages;
  const copies = (field: "stageIn" | "stageOut") => {
    const { items, parseError } = parseStage(form[field]);
    if (parseError) parseErrors.push({ field, message: parseError });
    return items;
  };
  const excludedNodes = () => {
    const { names, invalid } = excludedNodesOf(form.excludedNodes);
    const message = invalid
      ? messages.invalidNodeList({ text: invalid })
      : names.length > kMaxExcludedNodes
        ? messages.tooManyExcludedNodes({
            found: names.length,
            max: kMaxExcludedNodes,
          })
        : "";
    if (message) parseErrors.push({ field: "excludedNodes", message });
    return message ? [] : [...names];
  };
  const minutes = read("walltime", parseMinutes, 0, messages.invalidWalltime);
  const startMs = read("startAt", parseStart, 0, messages.invalidStartTime);
  const mib = read("memoryPerNodeMib", parseMib, 0, messages.invalidMemory);
  const batch = batchOf(form);
  const missing = missingIn(form);
  if (missing)
    parseErrors.push({ field: missing, message: kMissing[missing] ?? "" });
  const texts = kTextFields.map((field) => [field, form[field].trim()]);
  const spec = create(JobSpecSchema, {
    ...(Object.fromEntries(texts) as Record<TextField, string>),
    app: batch ? "" : form.app,
    ...(batch && { batch }),
    image: form.environment ? "" : form.image,
    gpusPerNode: read("gpusPerNode", parseCount, 0, invalidCount),
    nodes: read("nodes", parseCount, 0, invalidCount),
    cpusPerNode: read("cpusPerNode", parseCount, 0, invalidCount),
    memoryPerNodeMib: BigInt(mib),
    stageIn: copies("stageIn"),
    stageOut: copies("stageOut"),
    notify: eventsOf(form.notify),
    excludedNodes: excludedNodes(),
    ...(startMs > 0 && { startAt: timestampFromMs(startMs) }),
    ...(minutes > 0 && { walltime: { seconds: BigInt(minutes * 60) } }),
  });
  if (form.vetting) {
    const requiredNodes = Math.max(spec.nodes, 1);
    spec.vetting = create(JobVettingSchema, {
      requiredNodes,
      resubmit: form.resubmit !== "",
    });
    spec.nodes = requiredNodes + Number(form.vetting);
  }
  // Without GPUs the type is dropped.
  if (spec.gpusPerNode === 0) spec.gpuType = "";
  return { spec, parseErrors };
}

const kMissing: Partial<Record<FieldName, string>> = {
  command: messages.enterACommand,
  script: messages.enterThePathOfA,
};
const kMaxCount = 2 ** 31 - 1;

function parseCount(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= kMaxCount ? value : undefined;
}
