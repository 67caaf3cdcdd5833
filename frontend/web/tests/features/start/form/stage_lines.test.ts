import { describe, expect, it } from "vitest";
import { parseStage } from "../../../../src/features/start/form/stage_lines";

describe("stage lines", () => {
  it.each(["-> b", "a ->", "a -> b -> c", "->", "/", "~/"])(
    "refuses %j",
    (line) => {
      expect(parseStage(`a -> b\n${line}`)).toEqual({
        items: [],
        parseError: `Invalid line "${line}": expected from -> to`,
      });
    },
  );

  it("accept one copy per line, with either arrow", () => {
    expect(parseStage("~/a set -> my set\n\n  /data/b→b  \n")).toEqual({
      items: [
        { from: "~/a set", to: "my set" },
        { from: "/data/b", to: "b" },
      ],
    });
  });

  it("default to the last path component", () => {
    expect(parseStage("~/data/set/")).toEqual({
      items: [{ from: "~/data/set/", to: "set" }],
    });
  });

  it("are empty for empty text", () => {
    expect(parseStage(" \n")).toEqual({ items: [] });
  });
});
