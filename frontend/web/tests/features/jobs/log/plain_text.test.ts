import { describe, expect, it } from "vitest";
import { plainText } from "../../../../src/features/jobs/log/plain_text";

describe("a program's output as plain text", () => {
  it.each([
    ["\x1b[1;31mred\x1b[0m", "red"],
    ["\x1b[38:2::255:0:0mred\x1b[m", "red"],
    ["\x1b[2K\x1b[1Gline", "line"],
    ["\x1b]0;a title\x07text", "text"],
    ["\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1b(B\x1b=\x1b7text", "text"],
    ["bell\x07, null\x00, delete\x7f", "bell, null, delete"],
    ["\u009b31mred", "31mred"],
  ])("%j is %j", (output, text) => {
    expect(plainText(output)).toBe(text);
  });

  it("hides an incomplete escape sequence", () => {
    expect(plainText("text\x1b[38;5")).toBe("text");
    expect(plainText("text\x1b")).toBe("text");
  });

  it("drops at most one line for an unterminated string", () => {
    expect(plainText("one\x1b]0;title\ntwo")).toBe("one\ntwo");
  });

  it("keeps tabs, line ends and non-Latin text", () => {
    expect(plainText("a\tb\nprüfen 検証 🚀\n")).toBe("a\tb\nprüfen 検証 🚀\n");
  });

  it("shows the last state of a progress bar", () => {
    expect(plainText("10 %\r50 %\r100 %\ndone")).toBe("100 %\ndone");
    expect(plainText("10 %\r50 %\r")).toBe("50 %");
    expect(plainText("one\r\ntwo\r\r\n")).toBe("one\ntwo\n");
  });

  it("runs in linear time on escape-like text", () => {
    const hostile = "\x1b]".repeat(100_000) + "\x1b[0".repeat(100_000);
    const before = performance.now();
    plainText(hostile + "x".repeat(4_000_000));
    expect(performance.now() - before).toBeLessThan(30_000);
  });
});
