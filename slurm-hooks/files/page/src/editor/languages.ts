// The language of a file by its name. Each is loaded when it is needed.
import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { Compartment, type Extension } from "@codemirror/state";
import { extensionOf } from "../paths/names";

type Load = () => Promise<StreamParser<unknown>>;

const kLoaders: readonly [extensions: string, load: Load][] = [
  [
    "py pyi pyw",
    () =>
      import("@codemirror/legacy-modes/mode/python").then(
        (mode) => mode.python,
      ),
  ],
  [
    "sh bash zsh ksh sbatch slurm",
    () =>
      import("@codemirror/legacy-modes/mode/shell").then((mode) => mode.shell),
  ],
  [
    "toml",
    () =>
      import("@codemirror/legacy-modes/mode/toml").then((mode) => mode.toml),
  ],
  [
    "yaml yml",
    () =>
      import("@codemirror/legacy-modes/mode/yaml").then((mode) => mode.yaml),
  ],
  [
    "json ipynb jsonl",
    () =>
      import("@codemirror/legacy-modes/mode/javascript").then(
        (mode) => mode.json,
      ),
  ],
  [
    "js mjs cjs jsx",
    () =>
      import("@codemirror/legacy-modes/mode/javascript").then(
        (mode) => mode.javascript,
      ),
  ],
  [
    "ts tsx",
    () =>
      import("@codemirror/legacy-modes/mode/javascript").then(
        (mode) => mode.typescript,
      ),
  ],
  ["r", () => import("@codemirror/legacy-modes/mode/r").then((mode) => mode.r)],
  [
    "jl",
    () =>
      import("@codemirror/legacy-modes/mode/julia").then((mode) => mode.julia),
  ],
  [
    "c h",
    () => import("@codemirror/legacy-modes/mode/clike").then((mode) => mode.c),
  ],
  [
    "cc cpp cxx hh hpp cu cuh",
    () =>
      import("@codemirror/legacy-modes/mode/clike").then((mode) => mode.cpp),
  ],
  [
    "ini cfg conf properties",
    () =>
      import("@codemirror/legacy-modes/mode/properties").then(
        (mode) => mode.properties,
      ),
  ],
];

const kNames: Readonly<Record<string, string>> = {
  ".bashrc": "sh",
  ".bash_profile": "sh",
  ".profile": "sh",
  ".zshrc": "sh",
};

export const languageSlot = new Compartment();

export async function languageOfFile(
  name: string,
): Promise<Extension | undefined> {
  const extension = kNames[name] ?? extensionOf(name);
  const found = kLoaders.find(([all]) => all.split(" ").includes(extension));
  if (!found) return undefined;
  try {
    return StreamLanguage.define(await found[1]());
  } catch {
    return undefined; // without colours
  }
}
