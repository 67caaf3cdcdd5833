import { describe, expect, test } from "vitest";
import {
  extensionOf,
  freeName,
  nameProblem,
  numberedName,
  shownName,
  splitExtension,
} from "../src/paths/names";
import { byteLength, rawOfText, textOfRaw } from "../src/paths/raw_path";

describe("a name", () => {
  test("with a character that changes the direction shows the character", () => {
    expect(shownName("photo\u202Egnp.exe")).toBe("photo⟨U+202E⟩gnp.exe");
    expect(shownName("a\u200bb\u2066c")).toBe("a⟨U+200B⟩b⟨U+2066⟩c");
  });

  test("with control characters shows them", () => {
    expect(shownName("a\nb\u001b[31m\u0085")).toBe(
      "a⟨U+000A⟩b⟨U+001B⟩[31m⟨U+0085⟩",
    );
  });

  test("with HTML is shown as it is", () => {
    expect(shownName("<b>x</b> & ü 漢")).toBe("<b>x</b> & ü 漢");
  });

  test("is refused when the file system refuses it", () => {
    const none = new Set<string>();
    expect(nameProblem("", none)).toBe("empty");
    expect(nameProblem("a/b", none)).toBe("slash");
    expect(nameProblem("a\0", none)).toBe("nul");
    expect(nameProblem("..", none)).toBe("dots");
    expect(nameProblem("ü".repeat(128), none)).toBe("long");
    expect(nameProblem("ü".repeat(127), none)).toBeUndefined();
  });

  test("is refused when it is taken", () => {
    expect(nameProblem("a b", new Set(["a%20b"]))).toBe("taken");
    expect(nameProblem("A b", new Set(["a%20b"]))).toBeUndefined();
  });
});

describe("the extension of a name", () => {
  test("is not the name of a hidden file", () => {
    expect(splitExtension(".bashrc")).toEqual([".bashrc", ""]);
    expect(extensionOf(".bashrc")).toBe("");
  });

  test("of an archive has two parts", () => {
    expect(splitExtension("a.b.tar.gz")).toEqual(["a.b", ".tar.gz"]);
    expect(extensionOf("A.PNG")).toBe("png");
    expect(extensionOf("none")).toBe("");
  });
});

describe("a numbered name", () => {
  test("has the number before the extension", () => {
    expect(numberedName("a.txt", 2)).toBe("a%20%282%29.txt");
    expect(textOfRaw(numberedName("a", 3))).toBe("a (3)");
  });

  test("replaces an earlier number", () => {
    expect(textOfRaw(numberedName(rawOfText("a (2).txt"), 3))).toBe(
      "a (3).txt",
    );
  });

  test("has at most 255 bytes and whole characters", () => {
    const name = numberedName(rawOfText(`${"ü".repeat(125)}.txt`), 2);
    expect(byteLength(name)).toBeLessThanOrEqual(255);
    expect(textOfRaw(name)).toMatch(/^ü+ \(2\)\.txt$/);
  });

  test("keeps bytes that are not UTF-8", () => {
    expect(numberedName("caf%E9.txt", 2)).toBe("caf%E9%20%282%29.txt");
    expect(numberedName("x%E9", 2)).toBe("x%E9%20%282%29");
  });

  test("is the first that is free", () => {
    const taken = new Set(["a.txt", "a%20%282%29.txt"]);
    expect(textOfRaw(freeName("a.txt", taken))).toBe("a (3).txt");
    expect(freeName("b.txt", taken)).toBe("b.txt");
  });
});
