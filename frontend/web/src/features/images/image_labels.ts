// Labels for images.
import {
  type Image,
  ImageCopyState,
  type ImageShare,
  ImageState,
} from "#proto/image";
import type { Project } from "#proto/project";
import { roleLabel } from "../../session/roles";
import { messages } from "#messages/images";

export interface StateLabel {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad";
}

const kStates: Partial<Record<ImageState, StateLabel>> = {
  [ImageState.BUILDING]: { text: messages.stateBuilding, tone: "info" },
  [ImageState.FAILED]: { text: messages.stateFailed, tone: "bad" },
  [ImageState.ACTIVE]: { text: messages.stateActive, tone: "good" },
  [ImageState.DEPRECATED]: { text: messages.stateDeprecated, tone: "wait" },
  [ImageState.WITHDRAWN]: { text: messages.stateWithdrawn, tone: "bad" },
};

export function stateOf({ state }: Image): StateLabel {
  return kStates[state] ?? { text: messages.stateUnknown, tone: "bad" };
}

// The state of the copy that other users start from, for owners and managers.
export function copyOf({ copy }: Image): string {
  switch (copy?.state) {
    case ImageCopyState.STAGING:
    case ImageCopyState.STORING:
      return copy.problem
        ? messages.copyPending({ problem: copy.problem })
        : messages.copying;
    case ImageCopyState.FAILED:
      return messages.copyFailed({ problem: copy.problem });
    default:
      return "";
  }
}

// The result of the last check of a site image's file.
export function checkOf({ check }: Image): string {
  if (!check) return "";
  if (check.job) return messages.checking;
  return check.problem ? messages.checkFailed({ problem: check.problem }) : "";
}

export function originOf({ fixed, owner }: Image): string {
  if (owner) return messages.originOwner({ owner });
  return fixed ? messages.originConfiguration : messages.originSite;
}

// Who may use a site image; "" for a user's own image. `projects` gives the
// names.
export function audienceOf(
  { owner, settings }: Image,
  projects: readonly Project[],
): string {
  if (owner) return "";
  const groups = (settings?.groups ?? []).map((name) =>
    messages.audienceGroup({ name }),
  );
  const roles = (settings?.roles ?? []).map((role) =>
    messages.audienceRole({ role: roleLabel(role) }),
  );
  const of = (settings?.projects ?? []).map((id) =>
    messages.audienceProject({ name: nameOf(id, projects) }),
  );
  const all = [...groups, ...roles, ...of];
  return all.length === 0
    ? messages.audienceAll
    : messages.audienceOf({ names: all.join(", ") });
}

// The group or project that the image is shared with. `projects` are the
// projects of the current user.
export function partnerOf(
  { group, project }: ImageShare,
  projects: readonly Project[],
): string {
  return project
    ? messages.partnerProject({ name: nameOf(project, projects) })
    : group;
}

function nameOf(id: string, projects: readonly Project[]): string {
  return projects.find((one) => one.id === id)?.settings?.name ?? id;
}

// The requirements of jobs with GPUs: "driver 550.54 or newer, CUDA 12.4 or
// newer".
export function needsOf({ settings }: Image): string {
  const needs = [
    settings?.driver ? messages.needsDriver({ version: settings.driver }) : "",
    settings?.cuda ? messages.needsCuda({ version: settings.cuda }) : "",
  ];
  return needs.filter((need) => need !== "").join(", ");
}

// The first digits of the digest.
export function shortDigest(sha256: string): string {
  return sha256.slice(0, 12);
}
