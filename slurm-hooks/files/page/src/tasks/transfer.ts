// Plans a copy or a move of several entries to a folder. The server never
// replaces, so that a taken name is numbered or skipped.
import type { Answer } from "../uploads/conflict";
import { freeName } from "../paths/names";
import {
  baseOf,
  isInside,
  joinRaw,
  parentOf,
  type RawPath,
} from "../paths/raw_path";

export type TransferKind = "copy" | "move";

export interface Transfer {
  path: RawPath;
  to: RawPath;
}

export interface TransferPlan {
  transfers: Transfer[];
  // A folder cannot be put into itself.
  impossible: RawPath[];
}

export async function planTransfer(
  kind: TransferKind,
  paths: readonly RawPath[],
  folder: RawPath,
  takenNames: Iterable<RawPath>,
  ask: (name: RawPath, remaining: number) => Promise<Answer>,
): Promise<TransferPlan> {
  const taken = new Set(takenNames);
  const plan: TransferPlan = { transfers: [], impossible: [] };
  let forAll: Answer["choice"] | undefined;
  for (const [at, path] of paths.entries()) {
    const isSame = parentOf(path) === folder;
    if (kind === "move" && isSame) continue; // it is there already
    if (!isSame && isInside(folder, path)) {
      plan.impossible.push(path);
      continue;
    }
    let name = baseOf(path);
    if (taken.has(name)) {
      // A copy beside its original is always wanted.
      let choice = isSame ? "keep both" : forAll;
      if (!choice) {
        const answer = await ask(name, paths.length - at - 1);
        choice = answer.choice;
        if (answer.forAll) forAll = answer.choice;
      }
      if (choice === "skip") continue;
      name = freeName(name, taken);
    }
    taken.add(name);
    plan.transfers.push({ path, to: joinRaw(folder, name) });
  }
  return plan;
}

// What Ctrl-C or Ctrl-X took, until Ctrl-V.
export interface Clipboard {
  kind: TransferKind;
  paths: readonly RawPath[];
}
