import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ImageChoiceSchema } from "#proto/cluster";
import { newText } from "../../../src/features/environments/template";

const image = (id: string) => create(ImageChoiceSchema, { id });

describe("a new environment", () => {
  it("uses a container", () => {
    expect(newText([image("none")])).not.toContain("none");
  });

  it("uses the cluster's first image", () => {
    const text = newText([image("base:1"), image("other:2")]);
    expect(text).toContain('image = "store#base:1"');
  });
});
