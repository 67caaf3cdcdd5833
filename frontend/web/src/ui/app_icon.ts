// The icon of an app by its name in the cluster's catalog.
import type { IconName } from "./icon";

const kDrawings: ReadonlyMap<string, IconName> = new Map([
  ["jupyter", "notebook"],
  ["code", "code"],
  ["terminal", "terminal"],
  ["chart", "chart"],
  ["desktop", "desktop"],
  ["files", "folder"],
]);

export function appIcon(name: string): IconName {
  return kDrawings.get(name) ?? "app";
}
