// The values of the image form.
import type { Role } from "#proto/auth";
import { type Image, ImageState } from "#proto/image";
import {
  mountLines,
  parseMounts,
  parseNames,
  parseVariables,
  parseList,
  variableLines,
} from "./image_lines";

export interface ImageDraft {
  readonly id: string;
  readonly path: string;
  readonly sha256: string;
  readonly description: string;
  readonly apps: string;
  readonly mounts: string;
  readonly variables: string;
  readonly driver: string;
  readonly cuda: string;
  readonly groups: string;
  readonly roles: readonly Role[];
  readonly projects: readonly string[]; // IDs
  readonly state: ImageState;
}

export function draftOf(image: Image | undefined): ImageDraft {
  const settings = image?.settings;
  return {
    id: image?.id ?? "",
    path: image?.path ?? "",
    sha256: image?.sha256 ?? "",
    description: settings?.description ?? "",
    apps: (settings?.apps ?? []).join(", "),
    mounts: mountLines(settings?.mounts ?? []),
    variables: variableLines(settings?.environment ?? {}),
    driver: settings?.driver ?? "",
    cuda: settings?.cuda ?? "",
    groups: (settings?.groups ?? []).join(", "),
    roles: settings?.roles ?? [],
    projects: settings?.projects ?? [],
    state: image?.state ?? ImageState.ACTIVE,
  };
}

// Throws an Error with a message about the invalid value.
export function draftToSettings(draft: ImageDraft) {
  return {
    description: draft.description.trim(),
    apps: parseList(draft.apps),
    mounts: parseMounts(draft.mounts),
    environment: parseVariables(draft.variables),
    driver: draft.driver.trim(),
    cuda: draft.cuda.trim(),
    groups: parseNames(draft.groups),
    roles: [...draft.roles],
    projects: [...draft.projects],
  };
}
