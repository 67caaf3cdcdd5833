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
  it("are those that have it, in the cluster's order", () => {
    expect(ids("jupyter")).toEqual(["base:1", "none"]);
    expect(ids("shell")).toEqual(["base:1", "plain:3", "none"]);
  });

  it("are only those that do not say, when none names it", () => {
    expect(ids("desktop")).toEqual(["none"]);
  });

  it("have a word for no image at all", () => {
    expect(imageName("none")).toBe("No container (host system)");
    expect(imageName("base:1")).toBe("base:1");
  });
});

describe("the drawing of an app", () => {
  it("is the square for a name that this page does not know", () => {
    expect(appIcon("rstudio")).toBe("app");
    expect(appIcon("")).toBe("app");
    expect(appIcon("jupyter")).toBe("notebook");
  });
});
