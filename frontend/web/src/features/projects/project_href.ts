import { hrefOf } from "../../routes/route";

export function projectHref(id: string): string {
  return hrefOf("projects", `project=${encodeURIComponent(id)}`);
}
