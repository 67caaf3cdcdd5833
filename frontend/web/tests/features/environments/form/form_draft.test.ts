import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EnvironmentFormSchema } from "#proto/environment_form";
import {
  draftOf,
  formOf,
  repeatedIn,
  sameForm,
} from "../../../../src/features/environments/form/form_draft";

const empty = create(EnvironmentFormSchema, {});
const full = create(EnvironmentFormSchema, {
  baseEnvironments: ["a", "b"],
  image: "store#base:1",
  mounts: ["${HOME}", "/a:/b:ro"],
  workdir: "/w",
  writable: false,
  entrypoint: true,
  devices: ["nvidia.com/gpu=all"],
  variables: { B: "2", A: "" },
});

describe("the draft of a form", () => {
  it("names variables that are there twice", () => {
    const variables = ["A", "B", " A", "", ""].map((name) => ({
      name,
      value: "",
    }));
    expect(repeatedIn(variables)).toEqual(["A"]);
  });

  it("leaves out lines without a value and variables without a name", () => {
    const draft = {
      ...draftOf(empty),
      bases: " a,, b ,",
      mounts: "/a\n\n /b \n",
      image: " x ",
      variables: [
        { name: " ", value: "x" },
        { name: "A ", value: " y " },
      ],
    };
    const form = formOf(draft);
    expect(form.baseEnvironments).toEqual(["a", "b"]);
    expect(form.mounts).toEqual(["/a", "/b"]);
    expect(form.image).toBe("x");
    expect(form.variables).toEqual({ A: " y " });
  });

  it("round-trips, with sorted variables", () => {
    for (const form of [empty, full]) {
      expect(formOf(draftOf(form))).toEqual(form);
    }
    expect(draftOf(full).variables.map(({ name }) => name)).toEqual(["A", "B"]);
  });

  it("tells a default from a choice", () => {
    expect(draftOf(empty).writable).toBe("");
    const no = create(EnvironmentFormSchema, { writable: false });
    expect(sameForm(empty, no)).toBe(false);
    expect(sameForm(empty, create(EnvironmentFormSchema, {}))).toBe(true);
  });
});
