// Writes NAME.br and NAME.gz next to every text file of the build, so that the
// server does not compress at run time.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const kCompressible = new Set([".css", ".html", ".js", ".json", ".svg"]);

export function compress(): Plugin {
  return {
    name: "carme-compress",
    apply: "build",
    enforce: "post",
    writeBundle({ dir }) {
      if (dir) compressFolder(dir);
    },
  };
}

function compressFolder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) compressFolder(path);
    else if (kCompressible.has(extname(path))) compressFile(path);
  }
}

function compressFile(path: string): void {
  const content = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
