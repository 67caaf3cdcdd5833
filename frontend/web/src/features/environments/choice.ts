// The environment that the address selects, and unsaved drafts.
import type { EnvironmentEntry } from "#proto/environment";
import { hrefOf } from "../../routes/route";
import type { PackageDraft } from "./packages";

export interface Choice {
  readonly kind: "own" | "site" | "new";
  readonly name: string; // empty: a new environment
}

export const kNew: Choice = { kind: "new", name: "" };

export function choiceOf(query: string): Choice | undefined {
  const label = new URLSearchParams(query);
  const own = label.get("name");
  if (own) return { kind: "own", name: own };
  const site = label.get("site");
  if (site) return { kind: "site", name: site };
  return label.has("new") ? kNew : undefined;
}

export function hrefOfChoice({ kind, name }: Choice): string {
  const label = new URLSearchParams();
  if (kind === "new") label.set("new", "1");
  else label.set(kind === "own" ? "name" : "site", name);
  return hrefOf("environments", label.toString());
}

export function choiceOfEntry({ name, site }: EnvironmentEntry): Choice {
  return { kind: site ? "site" : "own", name };
}

export function sameChoice(a: Choice | undefined, b: Choice): boolean {
  return a?.kind === b.kind && a.name === b.name;
}

// The dashboard with this environment in the start form.
export function hrefToStart(name: string): string {
  return hrefOf(
    "dashboard",
    new URLSearchParams({ environment: name }).toString(),
  );
}

// Drafts by the environment they belong to. Kept until the session ends.
export interface Draft {
  readonly text: string;
  readonly name: string; // of a new environment
  readonly packages?: PackageDraft | undefined; // to be installed
}
export type Drafts = Readonly<Record<string, Draft>>;

export function draftKey({ kind, name }: Choice): string {
  return `${kind}:${name}`;
}

export function withDraft(drafts: Drafts, of: Choice, draft: Draft): Drafts {
  return { ...drafts, [draftKey(of)]: draft };
}

// After `text` was saved as `saved`. Text typed in the meantime is kept.
export function withSaved(
  drafts: Drafts,
  of: Choice,
  saved: Choice,
  text: string,
): Drafts {
  const draft = drafts[draftKey(of)];
  const others = withoutDraft(drafts, of);
  return draft && draft.text !== text
    ? withDraft(others, saved, { ...draft, name: saved.name })
    : others;
}

export function withoutDraft(drafts: Drafts, of: Choice): Drafts {
  const { [draftKey(of)]: _, ...others } = drafts;
  return others;
}
