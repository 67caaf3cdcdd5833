// The text of the field "Excluded nodes": names of nodes and Slurm's lists of
// them. The last item is the one that is being typed, unless a separator follows.
import { hostsOf, itemsOf } from "../../../lib/host_list";

// Of JobSpec.excluded_nodes.
export const kMaxExcludedNodes = 64;

// To read what exceeds that maximum, so that it can be counted.
const kMaxHosts = 10_000;

export interface ExcludedNodes {
  readonly names: readonly string[]; // each once
  readonly invalid: string; // the first item that is no list; empty: none
}

export function excludedNodesOf(text: string): ExcludedNodes {
  const names = new Set<string>();
  let invalid = "";
  for (const item of itemsOf(text)) {
    const hosts = hostsOf(item.text, kMaxHosts);
    if (!hosts) invalid ||= item.text;
    for (const host of hosts ?? []) names.add(host);
  }
  return { names: [...names], invalid };
}

// The item that is being typed; empty: none.
export function typedItem(text: string): string {
  const last = itemsOf(text).at(-1);
  return last?.end === text.length ? last.text : "";
}

// The nodes that are excluded without the item that is being typed.
export function chosenNodes(text: string): ReadonlySet<string> {
  return new Set(excludedNodesOf(withoutTyped(text)).names);
}

// The text after a choice: excludes the item instead of what is being typed, or
// no longer excludes the node.
export function toggled(text: string, item: string): string {
  const before = withoutTyped(text);
  const items = itemsOf(before).map((each) => each.text);
  if (!chosenNodes(text).has(item)) return listed([...items, item]);
  return listed(
    items.flatMap((each) => {
      const hosts = hostsOf(each, kMaxHosts);
      return hosts?.includes(item)
        ? hosts.filter((host) => host !== item)
        : [each];
    }),
  );
}

// The text without separators at its ends, as presets and links have it.
export function trimmed(text: string): string {
  return text.replace(/^[\s,]+|[\s,]+$/g, "");
}

function withoutTyped(text: string): string {
  return text.slice(0, text.length - typedItem(text).length);
}

// A separator at the end: the next item is about to be typed.
function listed(items: readonly string[]): string {
  return items.map((item) => `${item}, `).join("");
}
