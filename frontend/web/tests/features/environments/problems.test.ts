import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EnvironmentProblemSchema } from "#proto/environment";
import {
  marksOf,
  numberLabel,
  locationLabel,
} from "../../../src/features/environments/problems";

const problem = (file: string, line: number, text = "wrong") =>
  create(EnvironmentProblemSchema, { number: 17, file, line, text });

describe("marks in a text", () => {
  it("exclude problems in other files or without a line", () => {
    expect(marksOf([problem("base.toml", 3), problem("", 0)], [], 9)).toEqual(
      [],
    );
  });

  it("stay within a shortened text", () => {
    expect(marksOf([problem("", 7)], [], 2)[0]?.line).toBe(2);
  });

  it("are sorted by line", () => {
    const marks = marksOf(
      [problem("", 5, "e5"), problem("", 2, "e2")],
      [problem("", 3, "w3")],
      9,
    );
    expect(marks.map(({ message }) => message)).toEqual(["e2", "w3", "e5"]);
    expect(marks[1]?.severity).toBe("warning");
  });
});

describe("problem labels", () => {
  it("show file and line", () => {
    expect(locationLabel(problem("", 0))).toBe("");
    expect(locationLabel(problem("", 3))).toBe("Line 3");
    expect(locationLabel(problem("base.toml", 0))).toBe("base.toml");
    expect(locationLabel(problem("base.toml", 4))).toBe("base.toml, line 4");
  });

  it("show the error number", () => {
    expect(numberLabel(problem("", 1))).toBe("Error 017");
  });
});
