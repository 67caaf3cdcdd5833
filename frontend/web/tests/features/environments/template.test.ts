import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ImageChoiceSchema } from "#proto/cluster";
import { EnvironmentEntrySchema } from "#proto/environment";
import { EnvironmentTemplateSchema } from "#proto/environment_gallery";
import {
  freeName,
  imageOf,
  newText,
  templateText,
  withCondaPath,
  withImage,
} from "../../../src/features/environments/template";

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

describe("an environment from a template", () => {
  it("has the template's image and variables", () => {
    const text = templateText(
      create(EnvironmentTemplateSchema, {
        name: "JAX",
        image: "base:1",
        variables: { A: 'a "quoted" \\ value' },
      }),
    );
    expect(imageOf(text)).toBe("base:1");
    expect(text).toContain('[env]\nA = "a \\"quoted\\" \\\\ value"\n');
    expect(text).toContain('mounts = ["${HOME}"]');
  });

  it("has a name that the user has no environment of", () => {
    const entry = (name: string, site = false) =>
      create(EnvironmentEntrySchema, { name, site });
    expect(freeName("jax", [entry("jax", true)])).toBe("jax");
    expect(freeName("jax", [entry("jax"), entry("jax-2")])).toBe("jax-3");
  });
});

describe("the image of a text", () => {
  it("is empty without one of the catalogue", () => {
    expect(imageOf("")).toBe("");
    expect(imageOf('image = "/x.sqsh"')).toBe("");
    expect(imageOf('[env]\nimage = "store#x:1"')).toBe("");
    expect(imageOf('base_environment = "x"')).toBe("");
  });

  it("is replaced where it is", () => {
    const text = '# a\nimage = "store#base:1"\n[env]\nimage = "y"\n';
    const next = withImage(text, "ada/x:1");
    expect(next).toBe('# a\nimage = "store#ada/x:1"\n[env]\nimage = "y"\n');
    expect(imageOf(next)).toBe("ada/x:1");
  });

  it("is added to a text that inherits its image", () => {
    expect(withImage('base_environment = "b"\n', "ada/x:1")).toBe(
      'image = "store#ada/x:1"\nbase_environment = "b"\n',
    );
  });
});

describe("the path for packages of conda", () => {
  it("is added to the variables", () => {
    expect(withCondaPath('[env]\nA = "b"\n')).toMatch(
      /^\[env\]\nPATH = "\/opt\/conda\/bin:.*"\nA = "b"\n$/,
    );
    expect(withCondaPath('image = "x"\n')).toMatch(
      /^image = "x"\n\n\[env\]\nPATH = /,
    );
  });

  it("does not replace the user's", () => {
    for (const text of ['[env]\nPATH = "/x"\n', 'env = { A = "b" }\n']) {
      expect(withCondaPath(text)).toBe(text);
    }
  });
});
