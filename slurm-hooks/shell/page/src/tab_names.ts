// The names of terminals: numbers, the smallest that is free.

export const kMaxTerminals = 16;

export function freeName(taken: readonly string[]): string {
  let number = 1;
  while (taken.includes(String(number))) ++number;
  return String(number);
}

// The neighbour that is shown when `closed` goes: the next, else the one
// before; nothing when it was the last.
export function neighbour(
  names: readonly string[],
  closed: string,
): string | undefined {
  const at = names.indexOf(closed);
  return names[at + 1] ?? names[at - 1];
}
