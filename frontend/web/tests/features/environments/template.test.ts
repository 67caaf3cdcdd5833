import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ImageChoiceSchema } from "#proto/cluster";
import { newText } from "../../../src/features/environments/template";

const image = (id: string) => create(ImageChoiceSchema, { id });

describe("a new environment", () => {
  it("does not run in the node's own system", () => {
    expect(newText([image("none")])).not.toContain("none");
  });

  it("begins with the cluster's first image", () => {
    const text = newText([image("base:1"), image("other:2")]);
    expect(text).toContain('image = "store#base:1"');
  });
});
