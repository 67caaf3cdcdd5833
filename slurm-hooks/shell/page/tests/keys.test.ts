import { describe, expect, it } from "vitest";
import { keyAct } from "../src/keys";

function key(name: string, ...held: ("ctrl" | "shift" | "alt" | "meta")[]) {
  return {
    key: name,
    ctrlKey: held.includes("ctrl"),
    shiftKey: held.includes("shift"),
    altKey: held.includes("alt"),
    metaKey: held.includes("meta"),
  };
}

describe("the page's own keys", () => {
  it("leave Ctrl+C and Ctrl+V to the shell", () => {
    expect(keyAct(key("c", "ctrl"))).toBeUndefined();
    expect(keyAct(key("v", "ctrl"))).toBeUndefined();
    expect(keyAct(key("Insert"))).toBeUndefined();
    expect(keyAct(key("C", "ctrl", "shift", "alt"))).toBeUndefined();
  });

  it("copy and paste", () => {
    expect(keyAct(key("C", "ctrl", "shift"))).toBe("copy");
    expect(keyAct(key("Insert", "ctrl"))).toBe("copy");
    expect(keyAct(key("V", "ctrl", "shift"))).toBe("paste");
    expect(keyAct(key("Insert", "shift"))).toBe("paste");
  });
});
