// Slurm's lists of hosts: "node[01-04,07]" is five names. Items are separated by
// commas or white space outside of brackets.

export interface ListedItem {
  readonly text: string;
  readonly end: number; // behind its last character
}

export function itemsOf(list: string): readonly ListedItem[] {
  return [...list.matchAll(/(?:\[[^\]]*\]?|[^\s,[])+/g)].map((match) => ({
    text: match[0],
    end: match.index + match[0].length,
  }));
}

// The names of an item. Undefined: the brackets are invalid, or there are more
// than `max` names.
export function hostsOf(
  item: string,
  max: number,
): readonly string[] | undefined {
  let hosts: readonly string[] = [""];
  for (const [part] of item.matchAll(/\[[^\]]*\]?|\]|[^[\]]+/g)) {
    const texts = /^[[\]]/.test(part) ? numbersOf(part, max) : [part];
    if (!texts || hosts.length * texts.length > max) return undefined;
    hosts = hosts.flatMap((host) => texts.map((text) => host + text));
  }
  return hosts;
}

// "[01-03,7]" is 01, 02, 03 and 7: the first number of a range sets its width.
function numbersOf(brackets: string, max: number): string[] | undefined {
  const ranges = /^\[(.+)\]$/.exec(brackets)?.[1]?.split(",") ?? [""];
  const numbers: string[] = [];
  for (const range of ranges) {
    const [, first = "", last = first] =
      /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
    const count = Number(last) - Number(first) + 1;
    if (first === "" || count < 1 || numbers.length + count > max) {
      return undefined;
    }
    for (let i = 0; i < count; i++) {
      numbers.push(String(Number(first) + i).padStart(first.length, "0"));
    }
  }
  return numbers;
}
