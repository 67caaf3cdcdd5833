import { describe, expect, test } from "vitest";
import { quotedTag } from "../src/viewer/save";
import { lineSeparatorOf, textContent } from "../src/viewer/text_content";
import { viewKindOf } from "../src/viewer/view_kind";

function bytes(...values: number[]): ArrayBuffer {
  return new Uint8Array(values).buffer;
}

describe("bytes of a file", () => {
  test("with a null are not text", () => {
    expect(textContent(bytes(65, 0, 66), true)).toBe("binary");
  });

  test("that are not UTF-8 cannot be edited", () => {
    const content = textContent(bytes(0x63, 0xe9), true);
    expect(content).toEqual({ text: "c\ufffd", isExact: false });
  });

  test("that are only the start cannot be edited", () => {
    // The last character is cut.
    const content = textContent(bytes(0x61, 0xc3), false);
    expect(content).toEqual({ text: "a", isExact: false });
  });

  test("keep a byte order mark", () => {
    const content = textContent(bytes(0xef, 0xbb, 0xbf, 0x61), true);
    expect(content).toEqual({ text: "\ufeffa", isExact: true });
  });

  test("of an empty file are an empty text", () => {
    expect(textContent(bytes(), true)).toEqual({ text: "", isExact: true });
  });
});

describe("line ends", () => {
  test("are those of Windows only if all are", () => {
    expect(lineSeparatorOf("a\r\nb\r\n")).toBe("\r\n");
    expect(lineSeparatorOf("\r\n")).toBe("\r\n");
    expect(lineSeparatorOf("a\r\nb\n")).toBe("\n");
    expect(lineSeparatorOf("\na\r\n")).toBe("\n");
    expect(lineSeparatorOf("a\rb\r\n")).toBe("\n");
    expect(lineSeparatorOf("a\r")).toBe("\n");
    expect(lineSeparatorOf("")).toBe("\n");
  });
});

describe("a file", () => {
  test("is shown by the end of its name", () => {
    expect(viewKindOf("a.PNG")).toBe("image");
    expect(viewKindOf("a.ipynb")).toBe("code");
    expect(viewKindOf("a.tar.gz")).toBe("archive");
    expect(viewKindOf("constructor")).toBe("unknown");
    expect(viewKindOf("a.constructor")).toBe("unknown");
  });

  test("has a quoted entity tag", () => {
    expect(quotedTag("1-2")).toBe('"1-2"');
    expect(quotedTag('"1-2"')).toBe('"1-2"');
    expect(quotedTag('W/"1"')).toBe('W/"1"');
    expect(quotedTag("")).toBe("");
  });
});
