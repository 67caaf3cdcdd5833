// The address of a comparison: "#/compare?jobs=A,B", and whose history has jobs of
// other members: "&project=P".
import { hrefOf } from "../../routes/route";

export const kMinCompared = 2;
export const kMaxCompared = 4;

export interface ComparisonLink {
  readonly ids: readonly string[]; // of jobs; empty: the address is invalid
  readonly projects: readonly string[]; // ids
}

const kId = /^[a-z0-9]{1,64}$/;

export function comparisonOfQuery(query: string): ComparisonLink {
  const params = new URLSearchParams(query);
  const ids = listOf(params, "jobs");
  const isValid =
    ids.length >= kMinCompared &&
    ids.length <= kMaxCompared &&
    ids.every((id) => kId.test(id)) &&
    new Set(ids).size === ids.length;
  return {
    ids: isValid ? ids : [],
    projects: [...new Set(listOf(params, "project"))].slice(0, kMaxCompared),
  };
}

export function comparisonHref(
  ids: readonly string[],
  projects: readonly string[],
): string {
  const named = [...new Set(projects.filter(Boolean))];
  const project = named.map(encodeURIComponent).join(",");
  return hrefOf(
    "compare",
    `jobs=${ids.join(",")}${project && `&project=${project}`}`,
  );
}

// `id` added, or removed; the earliest ones are dropped beyond the maximum.
export function toggled(
  chosen: ReadonlySet<string>,
  id: string,
): ReadonlySet<string> {
  const ids = [...chosen].filter((each) => each !== id);
  if (!chosen.has(id)) ids.push(id);
  return new Set(ids.slice(-kMaxCompared));
}

function listOf(params: URLSearchParams, name: string): string[] {
  return (params.get(name) ?? "").split(",").filter(Boolean);
}
