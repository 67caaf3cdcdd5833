import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tarOf } from "../../../src/features/metrics/tar";

it("a tar archive is read by tar", () => {
  const folder = mkdtempSync(join(tmpdir(), "carme-tar-"));
  try {
    const bytes = new Uint8Array(1000).map((_, at) => at % 251);
    const archive = join(folder, "a.tar");
    writeFileSync(
      archive,
      tarOf(
        [
          { name: "step_0/proc_0.csv", content: bytes },
          { name: "empty", content: new Uint8Array() },
        ],
        Date.UTC(2026, 10, 21),
      ),
    );
    const { status, stderr } = spawnSync(
      "tar",
      ["-xf", archive, "-C", folder],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const read = readFileSync(join(folder, "step_0/proc_0.csv"));
    expect(new Uint8Array(read)).toEqual(bytes);
    expect(readFileSync(join(folder, "empty"))).toHaveLength(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
