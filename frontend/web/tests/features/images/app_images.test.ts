import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ImageChoiceSchema } from "#proto/cluster";
import { appIcon } from "../../../src/ui/app_icon";
import { imageName, imagesWith } from "../../../src/features/images/app_images";

const image = (id: string, ...apps: string[]) =>
  create(ImageChoiceSchema, { id, apps });
const images = [
  image("base:1", "jupyter", "shell"),
  image("plain:3", "shell"),
  image("none"),
];
const ids = (app: string) => imagesWith(app, images).map(({ id }) => id);

describe("the images for an app", () => {
  it("are the images with the app, in order", () => {
    expect(ids("jupyter")).toEqual(["base:1", "none"]);
    expect(ids("shell")).toEqual(["base:1", "plain:3", "none"]);
  });

  it("fall back to images without a list of apps", () => {
    expect(ids("desktop")).toEqual(["none"]);
  });

  it("have a label for no image", () => {
    expect(imageName("none")).toBe("No container (host system)");
    expect(imageName("base:1")).toBe("base:1");
  });
});

describe("the icon of an app", () => {
  it("has a default for unknown names", () => {
    expect(appIcon("rstudio")).toBe("app");
    expect(appIcon("")).toBe("app");
    expect(appIcon("jupyter")).toBe("notebook");
  });
});
