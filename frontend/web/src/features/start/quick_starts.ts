// The jobs that start with one click: the last ones, the presets, and the first
// apps until there are enough tiles.
import type { App, GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import type { Preset } from "#proto/preset";
import { formatMinutes, parseMinutes } from "../../lib/format/duration";
import { appIcon } from "../../ui/app_icon";
import type { IconName } from "../../ui/icon";
import { gpuLabel } from "../jobs/job_labels";
import { isBatchForm, kBatch } from "./form/batch_form";
import { specToForm } from "./form/spec_to_form";
import {
  blankForm,
  formToSpec,
  kFields,
  startableApps,
  type StartForm,
} from "./form/start_form";
import { messages } from "#messages/start";

export interface QuickStart {
  readonly key: string;
  readonly kind: "last" | "preset" | "app";
  readonly title: string;
  readonly app: string; // its name, or that it is a batch job
  readonly detail: string; // "1 × h200 · 1 h"
  readonly note: string; // where it is from, or what the app is
  readonly icon: IconName;
  readonly form: StartForm;
}

export const kMinTiles = 3;
const kNotes = { last: messages.lastUsed, preset: messages.preset };
const kMaxLast = 2;
const kMaxTiles = 6;

export function quickStarts(
  jobs: readonly Job[], // newest first
  presets: readonly Preset[],
  cluster: GetClusterResponse,
): readonly QuickStart[] {
  const saved = presets.flatMap(({ name, spec }) =>
    spec ? [tileOf("preset", name, specToForm(spec), cluster)] : [],
  );
  const known = new Set(saved.map(({ form }) => sizeKey(form)));
  const last: QuickStart[] = [];
  for (const { spec } of jobs) {
    if (last.length === kMaxLast) break;
    if (!spec || spec.linkedTo || spec.builds) continue;
    const form = { ...specToForm(spec), startAt: "" };
    const key = sizeKey(form);
    if (known.has(key) || !isOffered(form, cluster)) continue;
    known.add(key);
    const isNamed = !["", kBatch, spec.app].includes(spec.name);
    const program = form.command || form.script;
    const title = isNamed ? spec.name : program || appName(form, cluster.apps);
    last.push(tileOf("last", title, form, cluster));
  }
  const tiles = [...last, ...saved].slice(0, kMaxTiles);
  const blank = blankForm(cluster);
  for (const { id, name } of startableApps(blank, cluster)) {
    if (tiles.length >= kMinTiles) break;
    const form = { ...blank, app: id };
    const offered = tiles.some(
      (tile) => !isBatchForm(tile.form) && tile.form.app === id,
    );
    if (!offered) tiles.push(tileOf("app", name, form, cluster));
  }
  return tiles;
}

function tileOf(
  kind: QuickStart["kind"],
  title: string,
  form: StartForm,
  { apps }: GetClusterResponse,
): QuickStart {
  const { spec } = formToSpec(form);
  const minutes = parseMinutes(form.walltime);
  const app = apps.find(({ id }) => id === form.app);
  return {
    key: `${kind} ${title} ${sizeKey(form)}`,
    kind,
    title,
    app: appName(form, apps),
    detail: [
      gpuLabel(spec),
      minutes === undefined ? "" : formatMinutes(minutes),
    ]
      .filter(Boolean)
      .join(" · "),
    note: kind === "app" ? (app?.description ?? "") : kNotes[kind],
    icon: isBatchForm(form) ? "list" : appIcon(app?.icon ?? ""),
    form,
  };
}

function appName(form: StartForm, apps: readonly App[]): string {
  if (isBatchForm(form)) return messages.batch;
  return apps.find(({ id }) => id === form.app)?.name ?? form.app;
}

// A job whose app was removed cannot be started again.
function isOffered(form: StartForm, { apps }: GetClusterResponse): boolean {
  return isBatchForm(form) || apps.some(({ id }) => id === form.app);
}

// Equal for forms that start the same job under another name.
function sizeKey(form: StartForm): string {
  return kFields
    .filter((field) => field !== "name" && field !== "description")
    .map((field) => form[field])
    .join("\n");
}
