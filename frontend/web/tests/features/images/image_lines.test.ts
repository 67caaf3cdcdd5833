import { describe, expect, it } from "vitest";
import {
  mountLines,
  parseMounts,
  parseNames,
  parseVariables,
  parseList,
  variableLines,
} from "../../../src/features/images/image_lines";
import { FieldError } from "../../../src/lib/field_error";
import { messages } from "#messages/images";

describe("the mounts of a form", () => {
  it("name the invalid line", () => {
    for (const line of ["/a at", "/a b", "/a at /b at /c", ", read only"]) {
      expect(() => parseMounts(line)).toThrow(
        new FieldError("mounts", messages.invalidMount({ line })),
      );
    }
  });

  it("round-trip", () => {
    const mounts = [
      { source: "/data", target: "/data", readOnly: false },
      { source: "/data/{user}", target: "/mnt", readOnly: true },
      { source: "/x", target: "/x", readOnly: true },
    ];
    expect(mountLines(mounts)).toBe(
      "/data\n/data/{user} at /mnt, read only\n/x, read only",
    );
    expect(parseMounts(` ${mountLines(mounts)}\n\n`)).toEqual([
      { source: "/data", target: "", readOnly: false },
      { source: "/data/{user}", target: "/mnt", readOnly: true },
      { source: "/x", target: "", readOnly: true },
    ]);
  });
});

describe("the variables of a form", () => {
  it("name the invalid line", () => {
    for (const line of ["A", "=b"]) {
      expect(() => parseVariables(line)).toThrow(
        new FieldError("variables", messages.invalidVariable({ line })),
      );
    }
  });

  it("keep what follows the first equals sign", () => {
    const variables = { A: "b=c", B: "" };
    expect(variableLines(variables)).toBe("A=b=c\nB=");
    expect(parseVariables("A=b=c\nB=\n")).toEqual(variables);
  });
});

describe("lists of a form", () => {
  it("are separated by commas, apps also by spaces", () => {
    expect(parseList("jupyter, code  shell,")).toEqual([
      "jupyter",
      "code",
      "shell",
    ]);
    expect(parseNames(" Domain Users, chem ,")).toEqual([
      "Domain Users",
      "chem",
    ]);
  });
});
