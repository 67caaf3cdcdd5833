import { hrefOf } from "../../routes/route";

// A link with which a person of this site asks for a membership.
export function invitationLink(id: string): string {
  const { origin } = globalThis.location;
  return `${origin}/${hrefOf("projects", `join=${encodeURIComponent(id)}`)}`;
}

export function projectHref(id: string): string {
  return hrefOf("projects", `project=${encodeURIComponent(id)}`);
}
