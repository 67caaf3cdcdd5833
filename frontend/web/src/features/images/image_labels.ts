// Labels for images.
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

// The state of the copy that other users start from, for owners and managers.
export function copyOf({ copy }: Image): string {
  switch (copy?.state) {
    case ImageCopyState.STAGING:
    case ImageCopyState.STORING:
      return copy.problem
        ? `The copy for other users is pending: ${copy.problem}`
        : "Copying for other users. They can use the image afterwards.";
    case ImageCopyState.FAILED:
      return `Other users cannot use this image because copying failed: ${copy.problem}`;
    default:
      return "";
  }
}

// The result of the last check of a site image's file.
export function checkOf({ check }: Image): string {
  if (!check) return "";
  if (check.job) return "File check in progress.";
  return check.problem ? `The last check failed: ${check.problem}` : "";
}

export function originOf({ fixed, owner }: Image): string {
  if (owner) return `of ${owner}`;
  return fixed ? "site image (from the configuration)" : "site image";
}

// Who may use a site image; "" for a user's own image. `projects` gives the
// names.
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
  return all.length === 0 ? "for all users" : `for ${all.join(", ")}`;
}

// The group or project that the image is shared with. `projects` are the
// projects of the current user.
export function partnerOf(
  { group, project }: ImageShare,
  projects: readonly Project[],
): string {
  return project ? `project ${nameOf(project, projects)}` : group;
}

function nameOf(id: string, projects: readonly Project[]): string {
  return projects.find((one) => one.id === id)?.settings?.name ?? id;
}

// The requirements of jobs with GPUs: "driver 550.54 or newer, CUDA 12.4 or
// newer".
export function needsOf({ settings }: Image): string {
  const needs = [
    settings?.driver ? `driver ${settings.driver} or newer` : "",
    settings?.cuda ? `CUDA ${settings.cuda} or newer` : "",
  ];
  return needs.filter((need) => need !== "").join(", ");
}

// The first digits of the digest.
export function shortDigest(sha256: string): string {
  return sha256.slice(0, 12);
}
