// The drawing for an app, by the name that the cluster's catalogue gives it.
import type { IconName } from "./icon";

const kDrawings: ReadonlyMap<string, IconName> = new Map([
  ["jupyter", "notebook"],
  ["code", "code"],
  ["terminal", "terminal"],
  ["chart", "chart"],
  ["desktop", "desktop"],
]);

export function appIcon(name: string): IconName {
  return kDrawings.get(name) ?? "app";
}
