// What an image is, in words for a person.
import {
  type Image,
  ImageCopyState,
  type ImageShare,
  ImageState,
} from "#proto/image";
import type { Project } from "#proto/project";
import { roleLabel } from "../../session/roles";

export interface StateLabel {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad";
}

const kStates: Partial<Record<ImageState, StateLabel>> = {
  [ImageState.BUILDING]: { text: "building", tone: "info" },
  [ImageState.FAILED]: { text: "failed", tone: "bad" },
  [ImageState.ACTIVE]: { text: "active", tone: "good" },
  [ImageState.DEPRECATED]: { text: "deprecated", tone: "wait" },
  [ImageState.WITHDRAWN]: { text: "withdrawn", tone: "bad" },
};

export function stateOf({ state }: Image): StateLabel {
  return kStates[state] ?? { text: "unknown", tone: "bad" };
}

// The copy that others start from: what the owner and managers should know of it.
export function copyOf({ copy }: Image): string {
  switch (copy?.state) {
    case ImageCopyState.STAGING:
    case ImageCopyState.STORING:
      return copy.problem
        ? `The copy for others waits: ${copy.problem}`
        : "Being copied for others; they can start jobs in it after that.";
    case ImageCopyState.FAILED:
      return `Others cannot start jobs in it, because it was not copied: ${copy.problem}`;
    default:
      return "";
  }
}

// What a node found in the file of one of the site's.
export function checkOf({ check }: Image): string {
  if (!check) return "";
  if (check.job) return "A job is checking the file.";
  return check.problem ? `The last check failed: ${check.problem}` : "";
}

export function originOf({ fixed, owner }: Image): string {
  if (owner) return `of ${owner}`;
  return fixed ? "of the site, in its configuration" : "of the site";
}

// Whoever may use one of the site's; of a user's own that is not decided here.
// `projects` are those whose names are known.
export function audienceOf(
  { owner, settings }: Image,
  projects: readonly Project[],
): string {
  if (owner) return "";
  const groups = (settings?.groups ?? []).map((name) => `group ${name}`);
  const roles = (settings?.roles ?? []).map(
    (role) => `role ${roleLabel(role)}`,
  );
  const of = (settings?.projects ?? []).map(
    (id) => `project ${nameOf(id, projects)}`,
  );
  const all = [...groups, ...roles, ...of];
  return all.length === 0 ? "for everybody" : `for ${all.join(", ")}`;
}

// With whom it is shared, or offered to; `projects` are those of whoever looks.
export function partnerOf(
  { group, project }: ImageShare,
  projects: readonly Project[],
): string {
  return project ? `project ${nameOf(project, projects)}` : group;
}

function nameOf(id: string, projects: readonly Project[]): string {
  return projects.find((one) => one.id === id)?.settings?.name ?? id;
}

// What jobs with GPUs need: "driver 550.54 or newer, CUDA 12.4 or newer".
export function needsOf({ settings }: Image): string {
  const needs = [
    settings?.driver ? `driver ${settings.driver} or newer` : "",
    settings?.cuda ? `CUDA ${settings.cuda} or newer` : "",
  ];
  return needs.filter((need) => need !== "").join(", ");
}

// The first digits, enough to tell two images apart.
export function shortDigest(sha256: string): string {
  return sha256.slice(0, 12);
}
