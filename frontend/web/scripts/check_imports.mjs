// Fails when the import graph of src/ has a cycle, or when a folder of src/ or
// tests/ holds more than 25 source files.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const kMaxFiles = 25;
const root = fileURLToPath(new URL("..", import.meta.url));
const problems = [];

function filesBelow(folder) {
  const files = [];
  let sources = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      files.push(...filesBelow(path));
    } else if (/\.(ts|tsx|css)$/.test(name)) {
      files.push(path);
      sources++;
    }
  }
  if (sources > kMaxFiles) {
    problems.push(
      `${relative(root, folder)}: ${sources} source files (maximum ${kMaxFiles})`,
    );
  }
  return files;
}

// The modules that `file` loads at once. Dynamic imports and types make no
// cycle at run time, but types still tie files together, so they count.
function importsOf(file) {
  const text = readFileSync(file, "utf8");
  const found = [];
  for (const [, name] of text.matchAll(/\bfrom\s+"(\.[^"]*)"/g)) {
    const base = normalize(join(dirname(file), name));
    const path = ["", ".ts", ".tsx"].map((end) => base + end).find(existsSync);
    if (path) found.push(path);
  }
  return found;
}

const done = new Set();
function visit(file, path) {
  const start = path.indexOf(file);
  if (start >= 0) {
    const cycle = [...path.slice(start), file].map((f) => relative(root, f));
    problems.push(`import cycle: ${cycle.join(" -> ")}`);
    return;
  }
  if (done.has(file)) return;
  for (const next of importsOf(file)) visit(next, [...path, file]);
  done.add(file);
}

for (const file of filesBelow(join(root, "src"))) visit(file, []);
filesBelow(join(root, "tests"));
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
