import { describe, expect, it } from "vitest";
import {
  eventOf,
  kPieceLines,
  parseLine,
  piecesOf,
  startupOf,
} from "../../../../src/features/jobs/log/log_lines";

describe("a line of a log", () => {
  it("of a program has no time and no level", () => {
    expect(parseLine("step=7 loss=0.25 no errors")).toEqual({
      text: "step=7 loss=0.25 no errors",
    });
    expect(parseLine("2026-11-23T03:42:30.664Z said info")).toEqual({
      text: "2026-11-23T03:42:30.664Z said info",
    });
  });

  it("of Carme has its time and level", () => {
    expect(
      parseLine("2026-11-23T03:42:30.664Z info environment entered image=b:1"),
    ).toEqual({
      atMs: Date.UTC(2026, 10, 23, 3, 42, 30, 664),
      level: "info",
      text: "info environment entered image=b:1",
    });
    expect(
      parseLine("[n2] 2026-11-23T03:42:30.664Z error node lost").text,
    ).toBe("[n2] error node lost");
  });

  it("of a program has the level of common formats", () => {
    const level = (text: string) => parseLine(text).level;
    expect(level("Traceback (most recent call last):")).toBe("error");
    expect(level("ValueError: no such column")).toBe("error");
    expect(level("[E 2026-11-23 03:42:30.664 ServerApp] 500")).toBe("error");
    expect(level("[I 2026-11-23 03:42:30.664 ServerApp] ok")).toBe("info");
    expect(level("a.py:3: DeprecationWarning: old")).toBe("warning");
    expect(level("WARN disk nearly full")).toBe("warning");
  });

  it("has an event with its fields", () => {
    const line = parseLine(
      '2026-11-23T03:42:30.664Z info app ended app=jupyter error="it \\"died\\" early" code=1',
    );
    expect(eventOf(line)).toEqual({
      name: "app ended",
      fields: { app: "jupyter", error: 'it "died" early', code: "1" },
    });
  });
});

describe("the pieces of a log", () => {
  it("are none of an empty one", () => {
    expect(piecesOf("")).toEqual([]);
  });

  it("stay the same while the log grows", () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");
    const before = piecesOf(lines(2 * kPieceLines));
    const after = piecesOf(`${lines(2 * kPieceLines)}open`);
    expect(before).toHaveLength(2);
    expect(after.slice(0, 2)).toEqual(before);
    expect(after[2]).toBe("open");
  });
});

describe("the startup of a job", () => {
  const kFirst = "2026-11-23T03:42:30.000Z info agent started\n";
  const kSecond = "2026-11-23T03:42:37.000Z info app ready app=jupyter\n";

  it("is not folded while it is all there is, nor one line", () => {
    expect(startupOf(kFirst + kSecond)).toBeUndefined();
    expect(startupOf(`${kFirst}output\n`)).toBeUndefined();
    expect(startupOf(`output\n${kFirst}${kSecond}`)).toBeUndefined();
  });

  it("ends at the first line of the program", () => {
    expect(startupOf(`${kFirst}${kSecond}output\n${kFirst}`)).toEqual({
      text: kFirst + kSecond,
      rest: `output\n${kFirst}`,
      lines: 2,
      ms: 7000,
    });
  });
});
