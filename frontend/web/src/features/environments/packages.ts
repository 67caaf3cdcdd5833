// Packages that are installed into a new image when an environment is saved.
import {
  type EnvironmentTemplate,
  EnvironmentTemplateProblem,
  type ListEnvironmentTemplatesResponse as Gallery,
} from "#proto/environment_gallery";
import { messages } from "#messages/environments";

export interface PackageDraft {
  readonly templateId: string; // its Debian packages; empty: none
  readonly debian: readonly string[]; // of the template, to show them
  readonly baseImage: string;
  readonly pip: string; // one package per line
  readonly conda: string;
}

// Package lists from a text with a package per line, and comments.
export function parsePackages(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").replace(/\s+/g, ""))
    .filter((line) => line !== "");
}

export function hasPackages(draft: PackageDraft | undefined): boolean {
  return (
    draft !== undefined &&
    draft.debian.length +
      parsePackages(draft.pip).length +
      parsePackages(draft.conda).length >
      0
  );
}

export function packagesOf(template: EnvironmentTemplate): PackageDraft {
  const { id, debianPackages, image, pipPackages, condaPackages } = template;
  return {
    templateId: debianPackages.length > 0 ? id : "",
    debian: debianPackages,
    baseImage: image,
    pip: pipPackages.join("\n"),
    conda: condaPackages.join("\n"),
  };
}

// No packages yet, for an environment with this text. An image that is not a
// base image is replaced by the default.
export function noPackages(gallery: Gallery, image: string): PackageDraft {
  const { baseImages } = gallery;
  return {
    templateId: "",
    debian: [],
    baseImage: baseImages.includes(image) ? image : (baseImages[0] ?? ""),
    pip: "",
    conda: "",
  };
}

// Whether users can add packages to an image.
export function canAddPackages(gallery: Gallery): boolean {
  return (
    gallery.baseImages.length > 0 &&
    (gallery.pipAllowed || gallery.condaAllowed)
  );
}

export function buildRequest(name: string, draft: PackageDraft) {
  return {
    name,
    templateId: draft.templateId,
    baseImage: draft.baseImage,
    pipPackages: parsePackages(draft.pip),
    condaPackages: parsePackages(draft.conda),
  };
}

// "torch, jax and R", in the order in which they are installed.
export function packageNames(template: EnvironmentTemplate): string {
  return [
    ...template.debianPackages,
    ...template.pipPackages,
    ...template.condaPackages,
  ].join(", ");
}

// Why a template cannot be used; empty: it can be.
export function problemLabel(problem: EnvironmentTemplateProblem): string {
  switch (problem) {
    case EnvironmentTemplateProblem.UNSPECIFIED:
      return "";
    case EnvironmentTemplateProblem.DEBIAN_NOT_ALLOWED:
      return messages.sourceNotAllowed({ source: "Debian" });
    case EnvironmentTemplateProblem.PIP_NOT_ALLOWED:
      return messages.sourceNotAllowed({ source: "pip" });
    case EnvironmentTemplateProblem.CONDA_NOT_ALLOWED:
      return messages.sourceNotAllowed({ source: "conda" });
    default:
      return messages.imageNotUsable;
  }
}
