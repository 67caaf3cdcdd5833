import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { TemplateSchema } from "#proto/template";
import {
  PreviewStartFormResponseSchema,
  StartCheckSchema,
} from "#proto/user_preview";
import {
  changedForm,
  checkOf,
  environmentsOf,
  listedChecks,
  proposedForm,
} from "../../../src/features/user_preview/preview_form";

const cluster = create(GetClusterResponseSchema, {
  gpuTypes: [{ type: "a100", total: 8 }],
  apps: [{ id: "jupyter", name: "Jupyter" }],
  images: [{ id: "base:1" }],
});
const cpu = create(TemplateSchema, {
  id: "cpu",
  everybody: true,
  projects: ["chem"],
  settings: { name: "CPU", noGpus: true, maxWalltime: { seconds: 600n } },
});
const gpu = create(TemplateSchema, {
  id: "gpu",
  everybody: true,
  settings: { name: "GPU" },
});
const check = (project: string, template: string) =>
  create(StartCheckSchema, { project, template });
const offer = {
  cluster,
  templates: [cpu, gpu],
  checks: [
    check("", ""),
    check("", "cpu"),
    check("", "gpu"),
    check("chem", ""),
    check("chem", "cpu"),
    check("closed", ""),
  ],
};

describe("the start form of another user", () => {
  it("is not checked with values that the server has not seen", () => {
    const first = proposedForm(offer, "", "");
    const more = changedForm(offer, first, "gpusPerNode", "8");
    expect(more.gpusPerNode).toBe("8");
    expect(checkOf(offer, more)).toBeUndefined();
    const batch = changedForm(offer, first, "kind", "batch");
    expect(checkOf(offer, batch)).toBeUndefined();
  });

  it("is not checked for a project that the server left out", () => {
    const form = proposedForm(offer, "late", "");
    expect(checkOf(offer, form)).toBeUndefined();
  });

  it("begins with the values of a blank form", () => {
    const first = proposedForm(offer, "", "");
    expect(first).toMatchObject({
      app: "jupyter",
      gpusPerNode: "1",
      walltime: "1 h",
      project: "",
      template: "",
    });
    expect(checkOf(offer, first)).toBe(offer.checks[0]);
  });

  it("takes the values that a selected template allows", () => {
    const first = proposedForm(offer, "", "");
    const form = changedForm(offer, first, "template", "cpu");
    expect(form).toMatchObject({ gpusPerNode: "0", walltime: "10 min" });
    expect(checkOf(offer, form)).toBe(offer.checks[1]);
    const back = changedForm(offer, form, "template", "gpu");
    expect(back).toMatchObject({ gpusPerNode: "1", walltime: "1 h" });
    expect(checkOf(offer, back)).toBe(offer.checks[2]);
  });

  it("is limited by the only template of a project", () => {
    const first = proposedForm(offer, "", "");
    const form = changedForm(offer, first, "project", "chem");
    expect(form).toMatchObject({ template: "", gpusPerNode: "0" });
    expect(checkOf(offer, form)).toBe(offer.checks[3]);
  });

  it("keeps the values when the same project is selected again", () => {
    const first = proposedForm(offer, "", "");
    const form = changedForm(offer, first, "name", "test");
    expect(changedForm(offer, form, "project", "")).toBe(form);
  });
});

describe("the environments of another user", () => {
  it("are those of the site", () => {
    const found = environmentsOf(
      create(PreviewStartFormResponseSchema, {
        environmentsOffered: true,
        siteEnvironments: ["team/torch"],
      }),
    );
    expect(found.offered).toBe(true);
    expect(found.environments).toHaveLength(1);
    expect(found.environments[0]).toMatchObject({
      name: "team/torch",
      site: true,
    });
  });
});

describe("the list of decisions", () => {
  it("has each template, and projects without one", () => {
    const rows = listedChecks(offer).map(
      ({ project, template }) => `${project}/${template}`,
    );
    expect(rows).toEqual(["/cpu", "/gpu", "chem/cpu", "closed/"]);
  });

  it("has the decision without a template where no template was checked", () => {
    const rows = listedChecks({ ...offer, checks: [check("", "")] });
    expect(rows).toHaveLength(1);
  });
});
