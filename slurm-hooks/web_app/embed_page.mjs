// node embed_page.mjs DIST OUT: writes the built page's files as C++ text, what
// page_assets.h declares.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";

const kTypes = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};
const kLineBytes = 4096;

// Three octal digits each, so that the next character is never part of it.
function byteText(byte) {
  const plain = byte >= 0x20 && byte < 0x7f && !'"\\?'.includes(String.fromCharCode(byte));
  return plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
}

function literal(bytes) {
  let lines = "";
  for (let at = 0; at < bytes.length; at += kLineBytes) {
    const line = Array.from(bytes.subarray(at, at + kLineBytes), byteText);
    lines += `\n    "${line.join("")}"`;
  }
  return lines || '""';
}

function asset(dist, path) {
  const type = kTypes[extname(path)];
  if (!type) throw new Error(`${path}: no type is known for this file`);
  const bytes = readFileSync(join(dist, path));
  const served = path === "index.html" ? "/" : `/${path}`;
  return `  {"${served}", "${type}", {${literal(bytes)},\n    ${bytes.length}}},\n`;
}

const [dist, out] = process.argv.slice(2);
const paths = ["index.html", ...readdirSync(join(dist, "assets")).map((name) => `assets/${name}`)];
writeFileSync(
  out,
  `#include "slurm-hooks/web_app/page_assets.h"

namespace carme::web_app {
namespace {
constexpr PageAsset kFiles[] = {
${paths.map((path) => asset(dist, path)).join("")}};
}  // namespace
const std::span<const PageAsset> kPageAssets = kFiles;
}  // namespace carme::web_app
`,
);
