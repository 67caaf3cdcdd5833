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
    expect(repeatedIn(variables, empty)).toEqual(["A"]);
  });

  it("leaves out lines without a value and variables without a name", () => {
    const draft = {
      ...draftOf(empty),
      bases: " a\n\n b \n",
      mounts: "/a\n\n /b \n",
      image: " x ",
      variables: [
        { name: " ", value: "x" },
        { name: "A ", value: " y " },
      ],
    };
    const form = formOf(draft, empty);
    expect(form.baseEnvironments).toEqual(["a", "b"]);
    expect(form.mounts).toEqual(["/a", "/b"]);
    expect(form.image).toBe("x");
    expect(form.variables).toEqual({ A: " y " });
  });

  it("round-trips, with sorted variables", () => {
    for (const form of [empty, full]) {
      expect(formOf(draftOf(form), form)).toEqual(form);
      expect(formOf(draftOf(form), empty)).toEqual(form);
    }
    expect(draftOf(full).variables.map(({ name }) => name)).toEqual(["A", "B"]);
  });

  it("keeps what the text has, whatever else is edited", () => {
    const form = create(EnvironmentFormSchema, {
      baseEnvironments: ["/shared/a,b.toml", "c "],
      image: "x ",
      mounts: ["/a:/b "],
      workdir: " /w",
      devices: [" d"],
      variables: { " A": "1", A: "2\n3", " ": "" },
    });
    const draft = draftOf(form);
    expect(formOf(draft, form)).toEqual(form);
    expect(repeatedIn(draft.variables, form)).toEqual([]);

    const edited = {
      ...draft,
      bases: `${draft.bases}\n d `,
      mounts: `${draft.mounts}\n /c `,
      variables: [...draft.variables, { name: " B ", value: " " }],
    };
    const after = formOf(edited, form);
    expect(after.baseEnvironments).toEqual(["/shared/a,b.toml", "c ", "d"]);
    expect(after.mounts).toEqual(["/a:/b ", "/c"]);
    expect(after.image).toBe("x ");
    expect(after.variables).toEqual({ ...form.variables, B: " " });
  });

  it("tells values with several lines", () => {
    const variables = { A: "1\n2", B: "1", C: "1\r2" };
    const form = create(EnvironmentFormSchema, { variables });
    expect(
      draftOf(form).variables.map(({ isMultiline }) => isMultiline),
    ).toEqual([true, undefined, true]);
  });

  it("tells a default from a choice", () => {
    expect(draftOf(empty).writable).toBe("");
    const no = create(EnvironmentFormSchema, { writable: false });
    expect(sameForm(empty, no)).toBe(false);
    expect(sameForm(empty, create(EnvironmentFormSchema, {}))).toBe(true);
  });
});
