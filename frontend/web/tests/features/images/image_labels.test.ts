import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Role } from "#proto/auth";
import {
  ImageCopyState,
  ImageSchema,
  ImageShareSchema,
  ImageState,
} from "#proto/image";
import { ProjectSchema } from "#proto/project";
import {
  audienceOf,
  checkOf,
  copyOf,
  needsOf,
  originOf,
  partnerOf,
  stateOf,
} from "../../../src/features/images/image_labels";

describe("image labels", () => {
  it("show an unknown state as bad", () => {
    expect(stateOf(create(ImageSchema)).tone).toBe("bad");
  });

  it("show the state of the shared copy", () => {
    const withCopy = (state: ImageCopyState, problem = "") =>
      copyOf(create(ImageSchema, { copy: { state, problem } }));
    expect(withCopy(ImageCopyState.FAILED, "no room")).toBe(
      "Other users cannot use this image because copying failed: no room",
    );
    expect(withCopy(ImageCopyState.STORING)).toContain("Copying");
    expect(withCopy(ImageCopyState.STAGING, "too many jobs")).toBe(
      "The copy for other users is pending: too many jobs",
    );
    expect(withCopy(ImageCopyState.READY)).toBe("");
    expect(copyOf(create(ImageSchema))).toBe("");
  });

  it("show the result of a check", () => {
    const withCheck = (job: string, problem: string) =>
      checkOf(create(ImageSchema, { check: { job, problem } }));
    expect(withCheck("", "no SIF")).toBe("The last check failed: no SIF");
    expect(withCheck("j", "")).toBe("File check in progress.");
    expect(withCheck("", "")).toBe("");
    expect(checkOf(create(ImageSchema))).toBe("");
  });

  it("show origin and audience", () => {
    const site = create(ImageSchema, {
      state: ImageState.ACTIVE,
      settings: {
        groups: ["chem"],
        roles: [Role.MANAGER],
        projects: ["p", "q"],
      },
    });
    const course = create(ProjectSchema, { id: "p", settings: { name: "ML" } });
    expect(originOf(site)).toBe("site image");
    expect(audienceOf(site, [course])).toBe(
      "for group chem, role manager, project ML, project q",
    );
    expect(audienceOf(create(ImageSchema), [])).toBe("for all users");
    const own = create(ImageSchema, { owner: "ada" });
    expect(originOf(own)).toBe("of ada");
    expect(audienceOf(own, [])).toBe("");
  });

  it("show shares with project names", () => {
    const chem = create(ProjectSchema, { id: "p", settings: { name: "Chem" } });
    const with_ = (share: { group?: string; project?: string }) =>
      partnerOf(create(ImageShareSchema, share), [chem]);
    expect(with_({ group: "p" })).toBe("p");
    expect(with_({ project: "p" })).toBe("project Chem");
    expect(with_({ project: "q" })).toBe("project q");
  });

  it("show GPU requirements", () => {
    const image = create(ImageSchema, {
      settings: { driver: "550.54", cuda: "12.4" },
    });
    expect(needsOf(image)).toBe("driver 550.54 or newer, CUDA 12.4 or newer");
    expect(needsOf(create(ImageSchema))).toBe("");
  });
});
