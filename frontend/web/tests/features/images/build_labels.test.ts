import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { PendingImageSchema } from "#proto/cluster";
import { ImageBuildStatusSchema } from "#proto/image_build";
import {
  pendingLabel,
  progressOf,
} from "../../../src/features/images/build_labels";

const kNow = 1_800_000_240_000;
const build = create(ImageBuildStatusSchema, {
  step: 1,
  steps: 3,
  percent: 40,
  message: "installing packages",
  startedAt: { seconds: 1_800_000_000n },
});
const base = create(PendingImageSchema, { id: "base:1", build });
const none = [{ id: "none" }];

describe("the progress of an image", () => {
  it("has step, percentage and age", () => {
    expect(progressOf(build, kNow)).toBe(
      "step 1 of 3: installing packages, 40 %, started 4 min ago",
    );
  });

  it("leaves out what is not known", () => {
    expect(progressOf(undefined, kNow)).toBe("");
    expect(progressOf(create(ImageBuildStatusSchema), kNow)).toBe("");
    const message = create(ImageBuildStatusSchema, { message: "packing" });
    expect(progressOf(message, kNow)).toBe("packing");
    const step = create(ImageBuildStatusSchema, { steps: 2, percent: 0 });
    expect(progressOf(step, kNow)).toBe("step 0 of 2, 0 %");
  });
});

describe("a pending image", () => {
  it("shows that jobs start without it", () => {
    expect(pendingLabel(base, none, kNow)).toBe(
      "Image base:1 is being built (step 1 of 3: installing packages, 40 %, " +
        "started 4 min ago). Until it is ready, jobs start without an image, " +
        "with the programs of the node only.",
    );
    expect(pendingLabel(base, [{ id: "lab:2" }], kNow)).toContain(
      "Until it is ready, jobs start in lab:2.",
    );
  });

  it("shows that no other image is suitable", () => {
    expect(pendingLabel(base, [], kNow)).toContain(
      "No other image is suitable for this job.",
    );
  });

  it("shows why it was not built", () => {
    const failed = create(PendingImageSchema, {
      id: "base:1",
      problem: "no space left on device",
    });
    expect(pendingLabel(failed, none, kNow)).toBe(
      "Image base:1 could not be built: no space left on device. Jobs start " +
        "without an image, with the programs of the node only.",
    );
  });
});
