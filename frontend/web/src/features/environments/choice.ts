// Which environment the page shows, as its address says; and the texts that
// were written and not kept yet.
import type { EnvironmentEntry } from "#proto/environment";
import { hrefOf } from "../../routes/route";

export interface Choice {
  readonly kind: "own" | "site" | "new";
  readonly name: string; // empty: a new one
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

// The page of work, with this environment in its form.
export function hrefToStart(name: string): string {
  return hrefOf(
    "dashboard",
    new URLSearchParams({ environment: name }).toString(),
  );
}

// By what they were made from. They outlive the page, not the session.
export interface Draft {
  readonly text: string;
  readonly name: string; // of a new one, as far as it is typed
}
export type Drafts = Readonly<Record<string, Draft>>;

export function draftKey({ kind, name }: Choice): string {
  return `${kind}:${name}`;
}

export function withDraft(drafts: Drafts, of: Choice, draft: Draft): Drafts {
  return { ...drafts, [draftKey(of)]: draft };
}

export function withoutDraft(drafts: Drafts, of: Choice): Drafts {
  const { [draftKey(of)]: _, ...others } = drafts;
  return others;
}
