import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetLogResponseSchema } from "#proto/jobs";
import { readWholeLog } from "../../../../src/features/jobs/log/log_download";

// A log of which each read returns at most 4 bytes.
function reader(text: () => string) {
  return (offset: number) => {
    const piece = text().slice(offset, offset + 4);
    return Promise.resolve(
      create(GetLogResponseSchema, {
        text: piece,
        offsetBytes: BigInt(offset),
        nextOffsetBytes: BigInt(offset + piece.length),
        sizeBytes: BigInt(text().length),
      }),
    );
  };
}

it("a download fails with the error of a read", async () => {
  await expect(
    readWholeLog(() => Promise.reject(new Error("lost"))),
  ).rejects.toThrow("lost");
});

it("a download has the whole log", async () => {
  const parts = await readWholeLog(reader(() => "0123456789"));
  expect(parts.join("")).toBe("0123456789");
});

it("a download of a growing log ends", async () => {
  let log = "0123456789";
  const parts = await readWholeLog(reader(() => (log += "more")));
  expect(parts.join("").startsWith("0123456789")).toBe(true);
  expect(parts.length).toBeLessThan(6);
});
