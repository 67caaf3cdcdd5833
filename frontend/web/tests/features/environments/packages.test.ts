import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  EnvironmentTemplateProblem,
  EnvironmentTemplateSchema,
  ListEnvironmentTemplatesResponseSchema,
} from "#proto/environment_gallery";
import {
  buildRequest,
  canAddPackages,
  hasPackages,
  noPackages,
  packageNames,
  packagesOf,
  parsePackages,
  problemLabel,
} from "../../../src/features/environments/packages";

const gallery = (init: object) =>
  create(ListEnvironmentTemplatesResponseSchema, init);
const r = create(EnvironmentTemplateSchema, {
  id: "r",
  image: "base:1",
  debianPackages: ["r-base-core"],
  pipPackages: ["rpy2", "radian"],
});

describe("a list of packages", () => {
  it("has one package a line, without comments and spaces", () => {
    const text = "torch >= 2.7, < 3\n\n# GPUs\njax[cuda12]  # newest\r\n";
    expect(parsePackages(text)).toEqual(["torch>=2.7,<3", "jax[cuda12]"]);
    expect(parsePackages(" \n#\n")).toEqual([]);
  });

  it("keeps what the server refuses", () => {
    expect(parsePackages("--pre\nx#y")).toEqual(["--pre", "x#y"]);
  });
});

describe("packages of an environment", () => {
  it("cannot be added where the site allows none", () => {
    const baseImages = ["base:1"];
    expect(canAddPackages(gallery({ baseImages }))).toBe(false);
    expect(canAddPackages(gallery({ pipAllowed: true }))).toBe(false);
    expect(canAddPackages(gallery({ baseImages, pipAllowed: true }))).toBe(
      true,
    );
    expect(canAddPackages(gallery({ baseImages, condaAllowed: true }))).toBe(
      true,
    );
  });

  it("need an image only if there are any", () => {
    const none = noPackages(gallery({ baseImages: ["base:1"] }), "");
    expect(hasPackages(undefined)).toBe(false);
    expect(hasPackages(none)).toBe(false);
    expect(hasPackages({ ...none, pip: "# only this\n" })).toBe(false);
    expect(hasPackages({ ...none, conda: "numpy" })).toBe(true);
    expect(hasPackages(packagesOf(r))).toBe(true);
  });

  it("are added to the environment's image if that is possible", () => {
    const bases = gallery({ baseImages: ["base:1", "ada/x:1"] });
    expect(noPackages(bases, "ada/x:1").baseImage).toBe("ada/x:1");
    expect(noPackages(bases, "bob/x:1").baseImage).toBe("base:1");
    expect(noPackages(gallery({}), "base:1").baseImage).toBe("");
  });

  it("come from a template, and can be changed", () => {
    const draft = packagesOf(r);
    expect(draft.pip).toBe("rpy2\nradian");
    expect(buildRequest("mine", { ...draft, pip: "rpy2" })).toEqual({
      name: "mine",
      templateId: "r",
      baseImage: "base:1",
      pipPackages: ["rpy2"],
      condaPackages: [],
    });
  });

  it("name their template only for its Debian packages", () => {
    const plain = create(EnvironmentTemplateSchema, { id: "python" });
    expect(packagesOf(plain).templateId).toBe("");
    expect(hasPackages(packagesOf(plain))).toBe(false);
  });
});

describe("a template", () => {
  it("lists all of its packages", () => {
    expect(packageNames(r)).toBe("r-base-core, rpy2, radian");
  });

  it("says why it cannot be used", () => {
    expect(problemLabel(EnvironmentTemplateProblem.UNSPECIFIED)).toBe("");
    expect(problemLabel(EnvironmentTemplateProblem.PIP_NOT_ALLOWED)).toContain(
      "pip",
    );
    expect(problemLabel(EnvironmentTemplateProblem.IMAGE_NOT_USABLE)).not.toBe(
      "",
    );
  });
});
