import { describe, expect, it } from "vitest";
import { ChoiceKind } from "#proto/choice";
import {
  isUnknown,
  namesIn,
  offered,
  projectNamed,
  typedName,
  warningOf,
  withName,
} from "../../../src/features/choices/choice_names";

const found = (values: readonly string[], complete = true) => ({
  choices: values.map((value) => ({ value, label: "" })),
  more: false,
  complete,
});

describe("the names in a field", () => {
  it("are one name, or several separated by commas", () => {
    expect(typedName(" main, ", false)).toBe("main,");
    expect(typedName("a100, v1", true)).toBe("v1");
    expect(typedName("a100,", true)).toBe("");
    expect(namesIn("", true)).toEqual([]);
    expect(namesIn(" a100, ,v100 ", true)).toEqual(["a100", "v100"]);
    expect(namesIn(" two words ", false)).toEqual(["two words"]);
  });

  it("are checked up to a bound", () => {
    const many = Array.from({ length: 40 }, (_, i) => `name${i}`).join(",");
    expect(namesIn(many, true)).toHaveLength(16);
  });

  it("change where one is typed", () => {
    expect(withName("ma", "main", false)).toBe("main");
    expect(withName("a,b", "main", false)).toBe("main");
    expect(withName("v1", "v100", true)).toBe("v100");
    expect(withName("a100,v1", "v100", true)).toBe("a100, v100");
  });
});

describe("a name", () => {
  it("is not called unknown while that is not certain", () => {
    expect(isUnknown(ChoiceKind.QOS, "long", found([], false))).toBe(false);
    expect(isUnknown(ChoiceKind.QOS, "long", found(["longer"]))).toBe(true);
    expect(isUnknown(ChoiceKind.QOS, "long", found(["long"]))).toBe(false);
  });

  it("has upper and lower case, except in the directory", () => {
    expect(isUnknown(ChoiceKind.PARTITION, "MAIN", found(["main"]))).toBe(true);
    expect(isUnknown(ChoiceKind.USER, "ADA", found(["ada"]))).toBe(false);
    expect(isUnknown(ChoiceKind.GROUP, "Team", found(["team"]))).toBe(false);
  });

  it("is not offered when it is already there", () => {
    expect(offered(ChoiceKind.PARTITION, "main", found(["main"]))).toEqual([]);
    expect(
      offered(ChoiceKind.PARTITION, "main", found(["main", "main2"])),
    ).toHaveLength(2);
  });

  it("that is unknown gives a warning that says where it is missing", () => {
    expect(warningOf(ChoiceKind.PARTITION, [])).toBe("");
    expect(warningOf(ChoiceKind.GPU_TYPE, ["h1", "h2"])).toBe(
      "Slurm does not have: h1, h2",
    );
    expect(warningOf(ChoiceKind.GROUP, ["x"])).toBe(
      "The directory does not have: x",
    );
    expect(warningOf(ChoiceKind.IMAGE, ["x:1"])).toBe("Not found: x:1");
  });
});

describe("a project", () => {
  const projects = {
    ...found([]),
    choices: [
      { value: "aaaa", label: "Chem" },
      { value: "bbbb", label: "Bio" },
      { value: "cccc", label: "Bio" },
    ],
  };
  it("is not chosen by a part of its name, nor by that of two", () => {
    expect(projectNamed("Che", projects)).toBe("");
    expect(projectNamed("Bio", projects)).toBe("");
    expect(projectNamed("", projects)).toBe("");
  });
  it("is chosen by its name or id", () => {
    expect(projectNamed(" Chem ", projects)).toBe("aaaa");
    expect(projectNamed("cccc", projects)).toBe("cccc");
  });
});
