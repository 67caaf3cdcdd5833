import { describe, expect, test } from "vitest";
import { contentRange } from "../src/api/send_bytes";
import { filesOfInput } from "../src/uploads/dropped";
import {
  foldersOfRelativePath,
  kPartBytes,
  nextPart,
  planUpload,
  uploadId,
} from "../src/uploads/upload_plan";

const file = (name: string) => new File(["x"], name, { lastModified: 1 });

describe("a plan of an upload", () => {
  test("creates parents first and each folder once", () => {
    const plan = planUpload(
      "/home/ada",
      [
        { file: file("1.csv"), folders: ["data", "a b"] },
        { file: file("2.csv"), folders: ["data", "a b"] },
        { file: file("3.csv"), folders: [] },
      ],
      [["data", "empty"]],
    );
    expect(plan.folders).toEqual([
      "/home/ada/data",
      "/home/ada/data/empty",
      "/home/ada/data/a%20b",
    ]);
    expect(plan.files.map(({ path }) => path)).toEqual([
      "/home/ada/data/a%20b/1.csv",
      "/home/ada/data/a%20b/2.csv",
      "/home/ada/3.csv",
    ]);
  });

  test("takes the folders from the relative path", () => {
    expect(foldersOfRelativePath("")).toEqual([]);
    expect(foldersOfRelativePath("a.txt")).toEqual([]);
    expect(foldersOfRelativePath("x/y/a.txt")).toEqual(["x", "y"]);
    const chosen = Object.assign(file("a.txt"), {
      webkitRelativePath: "x/a.txt",
    });
    const list = {
      length: 1,
      0: chosen,
      *[Symbol.iterator]() {
        yield chosen;
      },
    };
    const { files } = filesOfInput(list as unknown as FileList);
    expect(files[0]?.folders).toEqual(["x"]);
  });
});

describe("the id of an upload", () => {
  const one = { name: "a.bin", size: 5, lastModified: 7 };

  test("is the same for the same file", () => {
    expect(uploadId({ ...one })).toBe(uploadId(one));
    expect(uploadId(one)).toMatch(/^[a-z0-9]{1,32}$/);
  });

  test("differs with name, size and time", () => {
    const ids = [
      one,
      { ...one, name: "b.bin" },
      { ...one, size: 6 },
      { ...one, lastModified: 8 },
      { ...one, name: "漢字 ".repeat(80) },
    ].map((file) => uploadId(file));
    ids.push(uploadId(one, new Uint8Array([1])));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{1,32}$/);
  });
});

describe("parts", () => {
  test("follow each other and end with the file", () => {
    const total = kPartBytes * 2 + 5;
    expect(nextPart(0, total)).toEqual({ start: 0, end: kPartBytes });
    expect(nextPart(kPartBytes * 2, total)).toEqual({
      start: kPartBytes * 2,
      end: total,
    });
    expect(nextPart(total, total)).toBeUndefined();
  });

  test("continue where the server is, also inside of a part", () => {
    expect(nextPart(3, 10, 4)).toEqual({ start: 3, end: 7 });
  });

  test("have a range with an inclusive end", () => {
    expect(contentRange(4, 4, 10)).toBe("bytes 4-7/10");
  });
});
