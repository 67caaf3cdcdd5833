import { describe, expect, it } from "vitest";
import { parseStage } from "../../../../src/features/start/form/stage_lines";

describe("what is to be copied, as typed", () => {
  it.each(["-> b", "a ->", "a -> b -> c", "->", "/", "~/"])(
    "refuses %j",
    (line) => {
      expect(parseStage(`a -> b\n${line}`)).toEqual({
        items: [],
        parseError: `Invalid line "${line}": expected from -> to`,
      });
    },
  );

  it("is a line each, with either arrow and blanks in names", () => {
    expect(parseStage("~/a set -> my set\n\n  /data/b→b  \n")).toEqual({
      items: [
        { from: "~/a set", to: "my set" },
        { from: "/data/b", to: "b" },
      ],
    });
  });

  it("keeps the last name where none is given", () => {
    expect(parseStage("~/data/set/")).toEqual({
      items: [{ from: "~/data/set/", to: "set" }],
    });
  });

  it("is nothing where nothing is typed", () => {
    expect(parseStage(" \n")).toEqual({ items: [] });
  });
});
