import { describe, expect, test } from "vitest";
import {
  baseOf,
  isInside,
  joinRaw,
  normalizeRaw,
  parentOf,
  rawOfFragment,
  rawOfText,
  rawOfTyped,
  segmentsOf,
  textOfRaw,
} from "../src/paths/raw_path";

describe("paths", () => {
  test("refuse a fragment that names no absolute path", () => {
    expect(rawOfFragment("")).toBeUndefined();
    expect(rawOfFragment("#home")).toBeUndefined();
    expect(rawOfFragment("#javascript:alert(1)")).toBeUndefined();
  });

  test("encode every byte that has a meaning in an address", () => {
    expect(rawOfText("/a b/c&d=e?f#g+h%")).toBe(
      "/a%20b/c%26d%3De%3Ff%23g%2Bh%25",
    );
    expect(rawOfText("/ü")).toBe("/%C3%BC");
  });

  test("keep bytes that are not UTF-8", () => {
    const raw = "/caf%E9.txt";
    expect(normalizeRaw(raw)).toBe(raw);
    expect(textOfRaw(raw)).toBe("/caf\ufffd.txt");
    expect(rawOfFragment(`#${raw}`)).toBe(raw);
  });

  test("have one spelling", () => {
    expect(normalizeRaw("/a%2fb/./c//d/../e/")).toBe("/a/b/c/e");
    expect(normalizeRaw("/../..")).toBe("/");
    expect(normalizeRaw("/%c3%bc%61")).toBe("/%C3%BCa");
    expect(rawOfFragment("#%2Fhome%2Fada")).toBe("/home/ada");
    expect(normalizeRaw("/ü b")).toBe("/%C3%BC%20b");
  });

  test("keep a percent sign that encodes nothing", () => {
    expect(normalizeRaw("/100%")).toBe("/100%25");
    expect(normalizeRaw("/%zz")).toBe("/%25zz");
  });

  test("have parents and names", () => {
    expect(parentOf("/a/b")).toBe("/a");
    expect(parentOf("/a")).toBe("/");
    expect(parentOf("/")).toBe("/");
    expect(baseOf("/a/b%20c")).toBe("b%20c");
    expect(joinRaw("/", "a")).toBe("/a");
    expect(joinRaw("/a", "b")).toBe("/a/b");
  });

  test("are inside of folders, not of names that start alike", () => {
    expect(isInside("/a/b", "/a")).toBe(true);
    expect(isInside("/a", "/a")).toBe(true);
    expect(isInside("/ab", "/a")).toBe(false);
    expect(isInside("/a", "/")).toBe(true);
  });

  test("have segments with the path of each", () => {
    expect(segmentsOf("/a%20b/c")).toEqual([
      { name: "a b", path: "/a%20b" },
      { name: "c", path: "/a%20b/c" },
    ]);
  });
});

describe("a typed path", () => {
  test("that was not changed keeps its bytes", () => {
    expect(rawOfTyped("/caf\ufffd", "/caf%E9", "/home/ada")).toBe("/caf%E9");
    expect(rawOfTyped("  ", "/a", "/home/ada")).toBe("/a");
  });

  test("is absolute, below home or relative", () => {
    expect(rawOfTyped("/x y", "/a", "/home/ada")).toBe("/x%20y");
    expect(rawOfTyped("~", "/a", "/home/ada")).toBe("/home/ada");
    expect(rawOfTyped("~/b", "/a", "/home/ada")).toBe("/home/ada/b");
    expect(rawOfTyped("../c", "/a/b", "/home/ada")).toBe("/a/c");
    expect(rawOfTyped("~bob", "/a", "/home/ada")).toBe("/a/~bob");
  });

  test("with a percent sign is not decoded", () => {
    expect(rawOfTyped("/100%41", "/a", "/home/ada")).toBe("/100%2541");
  });
});
