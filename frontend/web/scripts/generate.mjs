// Generates the typed clients from the .proto files with protoc and
// protoc-gen-es into build/gen. CARME_PROTO_DIR selects another folder of .proto
// files, PROTOC another compiler.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const protos = resolve(process.env.CARME_PROTO_DIR ?? `${root}/../../proto`);
const out = `${root}/build/gen`;

// The services that a browser may call. protoc-gen-es follows imports.
const files = [
  "access",
  "account",
  "admin",
  "audit",
  "auth",
  "choice",
  "cluster",
  "cluster_utilization",
  "dry_run",
  "environment",
  "environment_form",
  "environment_gallery",
  "factors",
  "findings",
  "gpu_idle",
  "history",
  "image",
  "image_build",
  "job_log",
  "jobs",
  "preset",
  "limit",
  "log",
  "announcement",
  "maintenance",
  "metrics",
  "node_history",
  "notification",
  "project",
  "reservation",
  "samples",
  "storage",
  "template",
  "text_code",
  "user_preview",
];

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { status, error } = spawnSync(
  process.env.PROTOC ?? "protoc",
  [
    `--plugin=${root}/node_modules/.bin/protoc-gen-es`,
    `--es_out=${out}`,
    "--es_opt=target=ts",
    `--proto_path=${protos}`,
    ...files.map((name) => `carme/v1/${name}.proto`),
  ],
  { stdio: "inherit" },
);
if (error) console.error(`protoc: ${error.message}`);
process.exit(status ?? 1);
